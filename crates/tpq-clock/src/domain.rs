//! Clocks: an id that is valid on a machine, in a file, and for some ids only within one writer
//! sequence.

/// `CLOCK_REALTIME`: wall time, which is synchronized between machines over the network.
pub const REALTIME: u32 = 1;
/// `CLOCK_MONOTONIC`.
pub const MONOTONIC: u32 = 3;
/// `CLOCK_MONOTONIC_COARSE`, which is as fine as the kernel's timer.
pub const MONOTONIC_COARSE: u32 = 4;
/// `CLOCK_MONOTONIC_RAW`.
pub const MONOTONIC_RAW: u32 = 5;
/// `CLOCK_BOOTTIME`, the default trace time of a system trace.
pub const BOOTTIME: u32 = 6;
/// The processor's time stamp counter, in ticks.
pub const TSC: u32 = 9;
/// The private timeline of a file with an unknown clock.
pub const TRACE_FILE: u32 = 11;

/// The largest id of a builtin clock.
const LAST_BUILTIN: u32 = 63;
/// The ids that a writer sequence may define for itself.
const SEQUENCE_SCOPED: std::ops::RangeInclusive<u32> = 64..=127;

/// A machine in a file: clocks are read on a machine and recorded in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct Source {
    /// The file: its number in the import.
    pub file: u32,
    /// The machine: its row in the `machine` table.
    pub machine: u32,
}

/// The packets of a source among which a clock id means the same clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ClockScope {
    /// All packets of the source.
    Source,
    /// Only the packets of this writer sequence.
    Sequence(u32),
}

/// A clock: an id within a scope of a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Clock {
    /// The machine and file where it was read.
    pub source: Source,
    /// The packets for which its id is valid.
    pub scope: ClockScope,
    /// Its id: up to 63 builtin, 64 to 127 scoped to a sequence, from 128 custom and global.
    pub id: u32,
}

/// Whether an id is the id of a clock that is scoped to one writer sequence.
pub fn is_sequence_scoped(id: u32) -> bool {
    SEQUENCE_SCOPED.contains(&id)
}

impl Clock {
    /// Returns the clock that a packet of `sequence` refers to by `id`.
    pub fn new(source: Source, sequence: u32, id: u32) -> Self {
        let scope = match is_sequence_scoped(id) {
            true => ClockScope::Sequence(sequence),
            false => ClockScope::Source,
        };
        Self { source, scope, id }
    }

    /// Returns a clock that is valid for the whole source.
    pub fn of_source(source: Source, id: u32) -> Self {
        Self { source, scope: ClockScope::Source, id }
    }

    /// Whether its resolution is a microsecond or better, as far as is known.
    pub fn is_fine(self) -> bool {
        matches!(self.id, REALTIME | MONOTONIC | MONOTONIC_RAW | BOOTTIME | TSC)
    }

    /// Whether the same id in another source can be the same clock. This excludes the private
    /// timeline of a file, clocks scoped to a sequence, and tick counters, which belong to one
    /// processor.
    pub fn is_domain(self) -> bool {
        self.scope == ClockScope::Source
            && self.id != TRACE_FILE
            && self.id != 0
            && (self.id > LAST_BUILTIN || builtin_name(self.id).is_some())
    }
}

/// The name of a builtin clock in the `clock_snapshot` table, if it has one.
pub fn builtin_name(id: u32) -> Option<&'static str> {
    Some(match id {
        1 => "REALTIME",
        2 => "REALTIME_COARSE",
        3 => "MONOTONIC",
        4 => "MONOTONIC_COARSE",
        5 => "MONOTONIC_RAW",
        6 => "BOOTTIME",
        _ => return None,
    })
}
