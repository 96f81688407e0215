//! What there is to read: a counter, and the clocks of the system.

use std::time::Duration;

use super::system_clock::{self, SystemClock};

/// What rates, offsets and snapshots are made from: the machine's clocks, or those of a test.
pub(super) trait TimeSource {
    /// The counter.
    fn ticks(&self) -> u64;

    /// A clock of the system, in ns.
    fn system_ns(&self, clock: SystemClock) -> i64 {
        system_clock::read_ns(clock)
    }

    /// Lets time pass.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
