//! What a clock is: an id that means something on a machine, and for some ids only within one
//! writer sequence.

/// `CLOCK_REALTIME`.
pub const REALTIME: u32 = 1;
/// `CLOCK_MONOTONIC`.
pub const MONOTONIC: u32 = 3;
/// `CLOCK_BOOTTIME`, the trace time of a system trace unless it says otherwise.
pub const BOOTTIME: u32 = 6;

/// The ids a writer sequence may define for itself.
const SEQUENCE_SCOPED: std::ops::RangeInclusive<u32> = 64..=127;

/// Where a clock id means the same clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ClockScope {
    /// Everywhere on the machine.
    Machine,
    /// Only among packets of this writer sequence of this file.
    Sequence(u32),
}

/// A clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Clock {
    /// The machine it ticks on.
    pub machine: u32,
    /// Where its id is valid.
    pub scope: ClockScope,
    /// Its id: up to 63 builtin, 64 to 127 of a sequence, from 128 custom and global.
    pub id: u32,
}

impl Clock {
    /// The clock a packet of `sequence` means by `id`.
    pub fn new(machine: u32, sequence: u32, id: u32) -> Self {
        let scope = match SEQUENCE_SCOPED.contains(&id) {
            true => ClockScope::Sequence(sequence),
            false => ClockScope::Machine,
        };
        Self { machine, scope, id }
    }
}

/// The name of a builtin clock.
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
