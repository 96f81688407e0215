//! Events in Chrome's older form: what the letters of their phases mean, and those that no table
//! has a place for.

use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::ChromeRawRow;

use super::counters::ThreadCounters;
use super::event::{On, TrackEvent, args};
use super::whose::Whose;
use crate::deferred::{ArgSet, ArgValue};
use crate::track::{AsyncPhase, NamePriority};

/// What an event is, as a letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Phase(u8);

impl Phase {
    pub(super) fn letter(self) -> u8 {
        self.0
    }

    pub(super) fn text(self) -> String {
        char::from(self.0).to_string()
    }

    /// Whether it is of slices that are told apart by ids.
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

    /// Whether a slice does not tell it.
    pub(super) fn is_kept(self) -> bool {
        matches!(self.0, b'R' | b'S' | b'T' | b'p')
    }

    /// What it does to the track of such slices: steps and ends of the oldest form count as they
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

/// What an instant is of.
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

/// What the older form says of an event. Durations are in ns.
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
    use_async_tts: bool,
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
            name_iid: uint(1).unwrap_or_default(),
            phase: uint(2).map(|phase| Phase(phase as u8)),
            duration: ns(3),
            thread_duration: ns(4),
            instruction_delta: int(15),
            unscoped_id: uint(6),
            local_id: uint(10),
            global_id: uint(11),
            id_scope: fields.get(7).map(|field| field.as_bytes()),
            use_async_tts: fields.int(9) != 0,
            bind_id: uint(8),
            bind_to_enclosing: fields.int(12) != 0,
            direction: match uint(13) {
                Some(1) => Some(Direction::In),
                Some(2) => Some(Direction::Out),
                Some(3) => Some(Direction::InOut),
                _ => None,
            },
            scope: match uint(14) {
                Some(1) => InstantScope::Global,
                Some(2) => InstantScope::Process,
                _ => InstantScope::Thread,
            },
            pid: id(18),
            tid: id(19),
        }
    }

    /// Whether it is an instant, which may be of more than a thread.
    pub(super) fn is_instant(&self) -> bool {
        self.phase.is_some_and(|phase| matches!(phase.0, b'i' | b'I'))
    }
}

/// An event that says something of its thread or process.
pub(super) fn metadata(
    event: &TrackEvent<'_>,
    whose: &Whose,
    thread: ThreadCounters,
    on: &mut On<'_, '_>,
) -> Option<()> {
    if event.name.is_null() {
        return None;
    }
    let (of_thread, of_process) = match on.tables.strings.get(event.name) {
        "thread_name" => (Some(whose.utid?), None),
        "process_name" => (None, Some(whose.upid?)),
        _ => return raw(event, whose, thread, on),
    };
    let value = Fields::new(event.data).find(|field| field.number == 4)?;
    let name = LastFields::<7>::new(value.as_bytes()).bytes(6);
    if name.is_empty() {
        return Some(());
    }
    let name = on.tables.strings.intern_bytes(name);
    let processes = &mut on.trackers.processes;
    if let Some(utid) = of_thread {
        processes.name_thread(utid, name, NamePriority::ThreadType, on.tables);
    }
    if let Some(upid) = of_process {
        processes.name_unnamed_process(upid, name, on.tables);
    }
    Some(())
}

/// An event that has no meaning of its own is written down as it is.
pub(super) fn raw(
    event: &TrackEvent<'_>,
    whose: &Whose,
    thread: ThreadCounters,
    on: &mut On<'_, '_>,
) -> Option<()> {
    let utid = whose.utid?;
    let mut set = fields(event, thread, on);
    set.append(&args(event, whose, on));
    let arg_set_id = on.trackers.deferred.intern(&set);
    let name = on.intern("track_event.legacy_event");
    on.tables.chrome_raw.push(ChromeRawRow { ts: on.packet.ts, name, utid, arg_set_id });
    Some(())
}

/// What the older form says of an event, as args.
fn fields(event: &TrackEvent<'_>, thread: ThreadCounters, on: &mut On<'_, '_>) -> ArgSet {
    let legacy = event.legacy.unwrap_or_default();
    let phase = legacy.phase.map(Phase::text).unwrap_or_else(|| "\0".to_owned());
    let phase = on.intern(&phase);
    let scope = legacy.id_scope.filter(|scope| !scope.is_empty());
    let scope = scope.map(|scope| on.tables.strings.intern_bytes(scope));
    let [time, instructions] = [thread.time, thread.instructions];
    let id = match (legacy.unscoped_id, legacy.global_id, legacy.local_id) {
        (Some(id), ..) => Some(("legacy_event.unscoped_id", id)),
        (None, Some(id), _) => Some(("legacy_event.global_id", id)),
        (None, None, Some(id)) => Some(("legacy_event.local_id", id)),
        _ => None,
    };
    let int = |value: Option<i64>| value.map(ArgValue::Int);
    let values = [
        ("legacy_event.category", Some(ArgValue::String(event.category))),
        ("legacy_event.name", Some(ArgValue::String(event.name))),
        ("legacy_event.phase", Some(ArgValue::String(phase))),
        ("legacy_event.duration_ns", int(legacy.duration)),
        ("legacy_event.thread_timestamp_ns", int(time)),
        ("legacy_event.thread_duration_ns", int(time.and(legacy.thread_duration))),
        ("legacy_event.thread_instruction_count", int(instructions)),
        ("legacy_event.thread_instruction_delta", int(instructions.and(legacy.instruction_delta))),
        ("legacy_event.use_async_tts", legacy.use_async_tts.then_some(ArgValue::Bool(true))),
        (id.map_or("", |(key, _)| key), id.map(|(_, id)| ArgValue::Uint(id))),
        ("legacy_event.id_scope", id.and(scope).map(ArgValue::String)),
    ];
    let given = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    ArgSet::of(given, &mut on.tables.strings)
}
