//! Snapshots of the counter and the system clocks at one moment.

use super::Ticks;
use super::rate::Rate;
use super::source::TimeSource;
use super::system_clock::SystemClock;

/// The number of attempts for a snapshot, of which the fastest is used.
const READS: usize = 5;

/// Values of the counter and the system clocks at the same moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The counter.
    pub ticks: Ticks,
    /// `CLOCK_BOOTTIME` in ns. Equal to `monotonic_ns` on systems without such a clock.
    pub boottime_ns: i64,
    /// `CLOCK_REALTIME` in ns since 1970.
    pub realtime_ns: i64,
    /// `CLOCK_MONOTONIC` in ns.
    pub monotonic_ns: i64,
}

/// One attempt: the clocks, read one after the other, with a read of the counter before and after
/// each.
struct Attempt {
    ticks: [u64; 4],
    monotonic: i64,
    boottime: i64,
    realtime: i64,
}

impl Attempt {
    fn read(source: &impl TimeSource) -> Self {
        let first = source.ticks();
        let monotonic = source.system_ns(SystemClock::Monotonic);
        let second = source.ticks();
        let boottime = source.system_ns(SystemClock::Boottime);
        let third = source.ticks();
        let realtime = source.system_ns(SystemClock::Realtime);
        Self { ticks: [first, second, third, source.ticks()], monotonic, boottime, realtime }
    }

    /// Ticks from the first read to the last; huge if the counter went backwards.
    fn width(&self) -> u64 {
        self.ticks[3].wrapping_sub(self.ticks[0])
    }

    /// All values at the moment of the middle clock. The clock before is moved forward by the time
    /// between the reads, the clock after is moved back.
    fn snapshot(&self, rate: Rate) -> Snapshot {
        let middle = |index: usize| u64::midpoint(self.ticks[index], self.ticks[index + 1]);
        let ns = |from: u64, to: u64| rate.to_ns(to.saturating_sub(from)).cast_signed();
        Snapshot {
            ticks: Ticks(middle(1)),
            boottime_ns: self.boottime,
            realtime_ns: self.realtime.saturating_sub(ns(middle(1), middle(2))),
            monotonic_ns: self.monotonic.saturating_add(ns(middle(0), middle(1))),
        }
    }
}

/// Takes a snapshot.
pub(super) fn snapshot(source: &impl TimeSource, rate: Rate) -> Snapshot {
    let mut best = Attempt::read(source);
    for _ in 1..READS {
        let next = Attempt::read(source);
        if next.width() < best.width() {
            best = next;
        }
    }
    best.snapshot(rate)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::super::fake::{EPOCH, Fake, SLEPT};
    use super::*;

    fn rate(ticks_per_second: u64) -> Rate {
        Rate::new(NonZeroU64::new(ticks_per_second).unwrap())
    }

    #[test]
    fn all_clocks_are_moved_to_one_moment() {
        let attempt = Attempt {
            ticks: [100, 140, 200, 220],
            monotonic: 50,
            boottime: 1_000,
            realtime: 9_000,
        };
        let expected = Snapshot {
            ticks: Ticks(170),
            boottime_ns: 1_000,
            // 40 ticks after the middle.
            realtime_ns: 8_980,
            // 50 ticks before the middle.
            monotonic_ns: 75,
        };
        assert_eq!(attempt.snapshot(rate(2_000_000_000)), expected);
    }

    #[test]
    fn an_interrupted_reading_is_not_used() {
        let fake = Fake::new(2_000_000_000, 4);
        // Only the third attempt is not interrupted.
        fake.delay([0, 9_000, 0, 400, 0, 0, 0, 0, 0, 500, 0, 0, 0, 0, 700]);
        let Snapshot { ticks, boottime_ns, realtime_ns, monotonic_ns } =
            snapshot(&fake, rate(2_000_000_000));
        assert_eq!(fake.delays_left(), 0);
        // The fake reads its clocks at the start of a bracket of 4 ticks: the middle is 1 ns later.
        let ns = i64::try_from(ticks.0).unwrap() / 2 - 1;
        assert_eq!(monotonic_ns, ns);
        assert_eq!(boottime_ns, ns + SLEPT);
        assert_eq!(realtime_ns, ns + EPOCH);
    }

    #[test]
    fn any_reading_gives_a_snapshot() {
        let (max, min) = (u64::MAX, i64::MIN);
        let attempt =
            Attempt { ticks: [0, max, 0, max], monotonic: i64::MAX, boottime: 0, realtime: min };
        attempt.snapshot(rate(1));
        assert!(Attempt { ticks: [10, 11, 12, 9], ..attempt }.width() > 1 << 60);
    }
}
