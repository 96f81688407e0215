//! Events in Chrome's older form: what the letters of their phases mean, and those that no table
//! has a place for.

use tpq_proto::fields::track_event::legacy_event;
use tpq_proto::wire::LastFields;

use tpq_trackers::track::AsyncPhase;

/// The phase of an event, as a letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Phase(u8);

impl Phase {
    pub(super) fn letter(self) -> u8 {
        self.0
    }

    pub(super) fn text(self) -> String {
        char::from(self.0).to_string()
    }

    /// Whether ids distinguish its slices.
    pub(super) fn is_async(self) -> bool {
        self.of_async().is_some()
    }

    /// Whether such slices nest.
    pub(super) fn nests(self) -> bool {
        matches!(self.0, b'b' | b'e' | b'n')
    }

    /// Whether it is a step within such a slice.
    pub(super) fn is_step(self) -> bool {
        matches!(self.0, b'T' | b'p')
    }

    /// Whether a slice cannot represent it.
    pub(super) fn is_raw(self) -> bool {
        matches!(self.0, b'R' | b'S' | b'T' | b'p')
    }

    /// Its effect on the track of such slices: steps and ends of the oldest form count as they
    /// do in the established tools.
    pub(super) fn of_async(self) -> Option<AsyncPhase> {
        match self.0 {
            b'b' | b'S' => Some(AsyncPhase::Begin),
            b'e' | b'T' => Some(AsyncPhase::End),
            b'n' | b'p' | b'F' => Some(AsyncPhase::Instant),
            _ => None,
        }
    }
}

/// The scope of an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum InstantScope {
    #[default]
    Thread,
    Process,
    Global,
}

/// Which way a flow goes through a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    In,
    Out,
    InOut,
}

/// Fields of the older form of an event. Durations are in ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Legacy<'a> {
    pub(super) name_iid: u64,
    pub(super) phase: Option<Phase>,
    pub(super) duration: Option<i64>,
    pub(super) thread_duration: Option<i64>,
    pub(super) instruction_delta: Option<i64>,
    pub(super) unscoped_id: Option<u64>,
    pub(super) local_id: Option<u64>,
    pub(super) global_id: Option<u64>,
    pub(super) id_scope: Option<&'a [u8]>,
    pub(super) use_async_tts: bool,
    pub(super) bind_id: Option<u64>,
    pub(super) bind_to_enclosing: bool,
    pub(super) direction: Option<Direction>,
    pub(super) scope: InstantScope,
    pub(super) pid: Option<i64>,
    pub(super) tid: Option<i64>,
}

impl<'a> Legacy<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let fields = LastFields::<20>::new(bytes);
        let int = |number| fields.get(number).map(|field| field.as_i64());
        let uint = |number| fields.get(number).map(|field| field.as_u64());
        let ns = |number| int(number).map(|us| us.saturating_mul(1000));
        let id = |number| fields.get(number).map(|field| i64::from(field.as_u32()));
        Self {
            name_iid: uint(legacy_event::NAME_IID).unwrap_or_default(),
            phase: uint(legacy_event::PHASE).map(|phase| Phase(phase as u8)),
            duration: ns(legacy_event::DURATION_US),
            thread_duration: ns(legacy_event::THREAD_DURATION_US),
            instruction_delta: int(legacy_event::THREAD_INSTRUCTION_DELTA),
            unscoped_id: uint(legacy_event::UNSCOPED_ID),
            local_id: uint(legacy_event::LOCAL_ID),
            global_id: uint(legacy_event::GLOBAL_ID),
            id_scope: fields.get(legacy_event::ID_SCOPE).map(|field| field.as_bytes()),
            use_async_tts: fields.int(legacy_event::USE_ASYNC_TTS) != 0,
            bind_id: uint(legacy_event::BIND_ID),
            bind_to_enclosing: fields.int(legacy_event::BIND_TO_ENCLOSING) != 0,
            direction: match uint(legacy_event::FLOW_DIRECTION) {
                Some(1) => Some(Direction::In),
                Some(2) => Some(Direction::Out),
                Some(3) => Some(Direction::InOut),
                _ => None,
            },
            scope: match uint(legacy_event::INSTANT_EVENT_SCOPE) {
                Some(1) => InstantScope::Global,
                Some(2) => InstantScope::Process,
                _ => InstantScope::Thread,
            },
            pid: id(legacy_event::PID_OVERRIDE),
            tid: id(legacy_event::TID_OVERRIDE),
        }
    }

    /// Whether it is an instant, which may be of more than a thread.
    pub(super) fn is_instant(&self) -> bool {
        self.phase.is_some_and(|phase| matches!(phase.0, b'i' | b'I'))
    }
}
