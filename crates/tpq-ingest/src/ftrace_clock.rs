//! The clock that the kernel stamps its own events with.
//!
//! The kernel may trace in a clock that no snapshot reads. The recorder then reads that clock
//! together with boot time for each bundle, and these pairs tie it. Such a clock is named by an
//! id of the writer sequence, as a writer's own clocks are.

use tpq_clock::{BOOTTIME, MONOTONIC_RAW};
use tpq_proto::fields::ftrace_event_bundle;
use tpq_proto::wire::Fields;

/// The clock of packets that name none, whichever that is.
pub const FILE_CLOCK: u32 = u32::MAX;
/// The kernel's `global` clock: ns that are the same on all CPUs, and of no POSIX clock.
const GLOBAL: u32 = 64;
/// The kernel's `local` clock: ns of one CPU, which differ between CPUs, so that nothing ties it.
const LOCAL: u32 = 65;
/// A clock that has no name in the trace format, as `x86-tsc`: ticks of unknown length.
const UNNAMED: u32 = 66;

/// What bundles state that were made of a recording in another format, in place of a clock: that of
/// its file.
pub const FILE_FTRACE_CLOCK: u64 = 1 << 32;

/// The id of the clock that a bundle says it is in.
pub fn ftrace_clock_id(ftrace_clock: u64) -> u32 {
    match ftrace_clock {
        FILE_FTRACE_CLOCK => FILE_CLOCK,
        0 => BOOTTIME,
        2 => GLOBAL,
        3 => LOCAL,
        4 => MONOTONIC_RAW,
        _ => UNNAMED,
    }
}

/// A bundle's clock read together with boot time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FtraceReading {
    pub(crate) id: u32,
    pub(crate) value: i64,
    pub(crate) boottime: i64,
    /// Whether the value counts ticks of unknown length.
    pub(crate) ticks: bool,
}

/// The clock of a bundle. The recorder writes this before the events, which are many.
pub(crate) fn ftrace_reading(bundle: &[u8]) -> Option<FtraceReading> {
    let (mut id, mut value, mut boottime) = (BOOTTIME, None, None);
    for field in Fields::new(bundle) {
        match field.number {
            ftrace_event_bundle::FTRACE_CLOCK => id = ftrace_clock_id(field.as_u64()),
            ftrace_event_bundle::FTRACE_TIMESTAMP => value = Some(field.as_i64()),
            ftrace_event_bundle::BOOT_TIMESTAMP => boottime = Some(field.as_i64()),
            ftrace_event_bundle::EVENT | ftrace_event_bundle::COMPACT_SCHED => break,
            _ => {}
        }
    }
    let tied = id == GLOBAL || id == UNNAMED;
    let (value, boottime) = (value?, boottime?);
    tied.then_some(FtraceReading { id, value, boottime, ticks: id == UNNAMED })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_ties_its_clock_to_boot_time() {
        // ftrace_clock = GLOBAL, ftrace_timestamp = 300, boot_timestamp = 500, then an event.
        let global = [0x28, 2, 0x30, 0xac, 2, 0x38, 0xf4, 3, 0x12, 2, 8, 1];
        let reading = FtraceReading { id: GLOBAL, value: 300, boottime: 500, ticks: false };
        assert_eq!(ftrace_reading(&global), Some(reading));
        let unnamed = [0x28, 1, 0x30, 0xac, 2, 0x38, 0xf4, 3];
        assert!(ftrace_reading(&unnamed).unwrap().ticks);
    }

    #[test]
    fn clocks_that_snapshots_read_or_that_differ_between_cpus_are_not_tied_by_bundles() {
        assert_eq!(ftrace_reading(&[0x28, 4, 0x30, 1, 0x38, 1]), None);
        assert_eq!(ftrace_reading(&[0x28, 3, 0x30, 1, 0x38, 1]), None);
        assert_eq!(ftrace_reading(&[0x28, 2, 0x30, 1]), None);
    }
}
