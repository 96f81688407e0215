//! The clocks to read: a counter, and the system clocks.

use std::time::Duration;

use super::system_clock::{self, SystemClock};

/// The clocks that rates, offsets and snapshots are measured from: those of the machine, or those
/// of a test.
pub(super) trait TimeSource {
    /// Reads the counter, in ticks.
    fn ticks(&self) -> u64;

    /// Reads a system clock, in ns.
    fn system_ns(&self, clock: SystemClock) -> i64 {
        system_clock::read_ns(clock)
    }

    /// Waits for this time.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
