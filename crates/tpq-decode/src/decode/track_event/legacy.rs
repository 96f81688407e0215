//! Events in Chrome's older form: what the letters of their phases mean, and those that no table
//! has a place for.

use tpq_proto::fields::track_event::legacy_event;
use tpq_proto::wire::Fields;

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
    /// do in the trace processor.
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

impl InstantScope {
    fn of(number: u64) -> Self {
        match number {
            1 => Self::Global,
            2 => Self::Process,
            _ => Self::Thread,
        }
    }
}

/// Which way a flow goes through a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    In,
    Out,
    InOut,
}

impl Direction {
    fn of(number: u64) -> Option<Self> {
        match number {
            1 => Some(Self::In),
            2 => Some(Self::Out),
            3 => Some(Self::InOut),
            _ => None,
        }
    }
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
    /// Reads the fields in one pass, into what is empty: of a field that occurs twice the last value
    /// counts.
    // In place and inlined, since moving the result takes longer than reading it.
    #[inline(always)]
    pub(super) fn read(&mut self, bytes: &'a [u8]) {
        let legacy = self;
        for field in Fields::new(bytes) {
            let ns = || field.as_i64().saturating_mul(1000);
            match field.number {
                legacy_event::NAME_IID => legacy.name_iid = field.as_u64(),
                legacy_event::PHASE => legacy.phase = Some(Phase(field.as_u64() as u8)),
                legacy_event::DURATION_US => legacy.duration = Some(ns()),
                legacy_event::THREAD_DURATION_US => legacy.thread_duration = Some(ns()),
                legacy_event::THREAD_INSTRUCTION_DELTA => {
                    legacy.instruction_delta = Some(field.as_i64());
                }
                legacy_event::UNSCOPED_ID => legacy.unscoped_id = Some(field.as_u64()),
                legacy_event::LOCAL_ID => legacy.local_id = Some(field.as_u64()),
                legacy_event::GLOBAL_ID => legacy.global_id = Some(field.as_u64()),
                legacy_event::ID_SCOPE => legacy.id_scope = Some(field.as_bytes()),
                legacy_event::USE_ASYNC_TTS => legacy.use_async_tts = field.as_bool(),
                legacy_event::BIND_ID => legacy.bind_id = Some(field.as_u64()),
                legacy_event::BIND_TO_ENCLOSING => legacy.bind_to_enclosing = field.as_bool(),
                legacy_event::FLOW_DIRECTION => legacy.direction = Direction::of(field.as_u64()),
                legacy_event::INSTANT_EVENT_SCOPE => {
                    legacy.scope = InstantScope::of(field.as_u64());
                }
                legacy_event::PID_OVERRIDE => legacy.pid = Some(i64::from(field.as_u32())),
                legacy_event::TID_OVERRIDE => legacy.tid = Some(i64::from(field.as_u32())),
                _ => {}
            }
        }
    }

    /// Whether it is an instant, which may be of more than a thread.
    pub(super) fn is_instant(&self) -> bool {
        self.phase.is_some_and(|phase| matches!(phase.0, b'i' | b'I'))
    }
}
