//! What a clock is: an id that means something on a machine, in a file, and for some ids only
//! within one writer sequence.

/// `CLOCK_REALTIME`: wall time, which machines keep the same over the network.
pub const REALTIME: u32 = 1;
/// `CLOCK_MONOTONIC`.
pub const MONOTONIC: u32 = 3;
/// `CLOCK_MONOTONIC_RAW`.
pub const MONOTONIC_RAW: u32 = 5;
/// `CLOCK_BOOTTIME`, the trace time of a system trace unless it says otherwise.
pub const BOOTTIME: u32 = 6;
/// The processor's time stamp counter, in ticks.
pub const TSC: u32 = 9;
/// The private timeline of a file whose clock is not known.
pub const TRACE_FILE: u32 = 11;

/// The largest id of a builtin clock.
const LAST_BUILTIN: u32 = 63;
/// The ids a writer sequence may define for itself.
const SEQUENCE_SCOPED: std::ops::RangeInclusive<u32> = 64..=127;

/// A machine as one file saw it: clocks are read on a machine and recorded in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct Source {
    /// The file, by its number in the import.
    pub file: u32,
    /// The machine, by its row.
    pub machine: u32,
}

/// Where in a place a clock id means the same clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ClockScope {
    /// Everywhere.
    Source,
    /// Only among packets of this writer sequence.
    Sequence(u32),
}

/// A clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Clock {
    /// Where it was read.
    pub source: Source,
    /// Where its id is valid.
    pub scope: ClockScope,
    /// Its id: up to 63 builtin, 64 to 127 of a sequence, from 128 custom and global.
    pub id: u32,
}

/// Whether an id means a clock of one writer sequence.
pub fn is_of_sequence(id: u32) -> bool {
    SEQUENCE_SCOPED.contains(&id)
}

impl Clock {
    /// The clock a packet of `sequence` means by `id`.
    pub fn new(source: Source, sequence: u32, id: u32) -> Self {
        let scope = match is_of_sequence(id) {
            true => ClockScope::Sequence(sequence),
            false => ClockScope::Source,
        };
        Self { source, scope, id }
    }

    /// A clock whose id is not of a sequence.
    pub fn of_source(source: Source, id: u32) -> Self {
        Self { source, scope: ClockScope::Source, id }
    }

    /// Whether it tells time to the microsecond or better, as far as is known.
    pub fn is_fine(self) -> bool {
        matches!(self.id, REALTIME | MONOTONIC | MONOTONIC_RAW | BOOTTIME | TSC)
    }

    /// Whether the same id elsewhere can be the same clock. The private timeline of a file and
    /// the clocks of a sequence are like no other; a counter of ticks is the processor's own.
    pub fn is_domain(self) -> bool {
        self.scope == ClockScope::Source
            && self.id != TRACE_FILE
            && self.id != 0
            && (self.id > LAST_BUILTIN || builtin_name(self.id).is_some())
    }
}

/// The name of a builtin clock that has one in the `clock_snapshot` table.
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
