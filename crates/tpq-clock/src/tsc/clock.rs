//! The clock on the counter.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::counter::{Counter, Tsc};
use super::offset::Offset;
use super::rate::Rate;
use super::snapshot::{Snapshot, snapshot};
use super::source::TimeSource;

/// A reading of the counter of a [`TscClock`]: a moment, in a unit that only this clock knows. Not
/// ns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticks(pub u64);

/// A clock on the CPU's time stamp counter, or on the system clock if there is no reliable counter.
/// All methods can be called from any number of threads at the same time; no method fails.
#[derive(Debug)]
pub struct TscClock {
    counter: Counter,
    rate: Rate,
    offset: Offset,
}

impl TscClock {
    /// The clock of this process, started at the first call. Other threads that call this meanwhile
    /// wait.
    pub fn global() -> &'static Self {
        static CLOCK: OnceLock<TscClock> = OnceLock::new();
        CLOCK.get_or_init(Self::start)
    }

    /// Starts a clock on the time stamp counter. Measuring its rate takes about 5 ms, in which the
    /// thread sleeps. If the counter is missing, not invariant or cannot be measured, the result is
    /// that of [`TscClock::on_system_clock`].
    pub fn start() -> Self {
        let counter = Tsc::detect().map(Counter::Tsc);
        counter
            .and_then(|counter| Some(Self::new(counter, Rate::measure(&counter)?)))
            .unwrap_or_else(Self::on_system_clock)
    }

    /// Starts a clock on the system's `CLOCK_MONOTONIC`. Its ticks are ns, and nothing is measured.
    pub fn on_system_clock() -> Self {
        Self::new(Counter::Monotonic, Rate::NS)
    }

    fn new(counter: Counter, rate: Rate) -> Self {
        Self { counter, rate, offset: Offset::new(&counter, rate) }
    }

    /// Whether ticks come from the time stamp counter.
    pub fn is_on_tsc(&self) -> bool {
        matches!(self.counter, Counter::Tsc(_))
    }

    /// The rate of the counter, which never changes.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// The number of ticks per second.
    pub fn ticks_per_second(&self) -> u64 {
        self.rate.ticks_per_second()
    }

    /// Returns the current moment. One instruction. A thread never sees it go backwards.
    #[inline]
    pub fn now(&self) -> Ticks {
        Ticks(self.counter.ticks())
    }

    /// The time from one moment to another; zero if `to` is before `from`.
    #[inline]
    pub fn between(&self, from: Ticks, to: Ticks) -> Duration {
        Duration::from_nanos(self.to_ns(Ticks(to.0.saturating_sub(from.0))))
    }

    /// The time from a moment until now.
    #[inline]
    pub fn elapsed(&self, since: Ticks) -> Duration {
        self.between(since, self.now())
    }

    /// Converts a moment to ns since the counter was 0; [`u64::MAX`] if it does not fit.
    #[inline]
    pub fn to_ns(&self, ticks: Ticks) -> u64 {
        self.rate.to_ns(ticks.0)
    }

    /// Converts a moment to ns since 1970, as in `CLOCK_REALTIME`. At intervals this reads the
    /// system clock, which takes a microsecond; see [`TscClock::refresh_offset`]. A moment that
    /// does not fit wraps around.
    pub fn to_unix_ns(&self, ticks: Ticks) -> i64 {
        self.offset.apply(&self.counter, ticks.0)
    }

    /// Converts a moment to the time of day, like [`TscClock::to_unix_ns`].
    pub fn to_system_time(&self, ticks: Ticks) -> SystemTime {
        let ns = self.to_unix_ns(ticks);
        let since = Duration::from_nanos(ns.unsigned_abs());
        let time =
            if ns < 0 { UNIX_EPOCH.checked_sub(since) } else { UNIX_EPOCH.checked_add(since) };
        // On all supported systems the time of day covers 1970 to 2262.
        time.unwrap_or(UNIX_EPOCH)
    }

    /// Measures the offset to the time of day again. Conversions do this automatically for ticks
    /// that are more than 100 ms after the last measurement. Call it to follow a clock that was
    /// just set.
    pub fn refresh_offset(&self) {
        self.offset.refresh(&self.counter);
    }

    /// Reads the counter and the system clocks as of one moment. It reads them several times, uses
    /// the fastest attempt, and corrects for the time between the reads. Takes about a microsecond.
    pub fn snapshot(&self) -> Snapshot {
        snapshot(&self.counter, self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    /// The tolerance for the time of day: a thread can be suspended between two reads, and another
    /// program may be adjusting the clock.
    const NEAR: Duration = Duration::from_millis(20);

    fn both() -> [TscClock; 2] {
        [TscClock::start(), TscClock::on_system_clock()]
    }

    /// The difference between a second of this clock and a second of `CLOCK_MONOTONIC`, in ns.
    fn error_of_a_second(clock: &TscClock) -> u64 {
        let start = clock.snapshot();
        std::thread::sleep(SECOND);
        let end = clock.snapshot();
        let ours = clock.between(start.ticks, end.ticks).as_nanos() as u64;
        ours.abs_diff(end.monotonic_ns.abs_diff(start.monotonic_ns))
    }

    #[test]
    fn a_second_is_a_second() {
        // More than one attempt: the system may change the speed of its clock during the
        // comparison.
        let errors: Vec<u64> = (0..3)
            .map(|_| error_of_a_second(&TscClock::start()))
            .inspect(|error| println!("{error} ns of a second"))
            .take_while(|&error| error > 100_000)
            .collect();
        assert!(errors.len() < 3, "{errors:?} ns");
    }

    #[test]
    fn the_time_of_day_is_that_of_the_system() {
        for clock in both() {
            let before = SystemTime::now();
            let time = clock.to_system_time(clock.now());
            let after = SystemTime::now();
            assert!(before - NEAR <= time && time <= after + NEAR, "{clock:?}");
        }
    }

    #[test]
    fn many_threads_convert_while_others_refresh_the_offset() {
        for clock in both() {
            std::thread::scope(|scope| {
                for thread in 0..8 {
                    let clock = &clock;
                    scope.spawn(move || {
                        let mut last = clock.now();
                        for round in 0..2_000 {
                            let now = clock.now();
                            assert!(last <= now);
                            last = now;
                            let before = SystemTime::now();
                            let time = clock.to_system_time(clock.now());
                            assert!(before - NEAR <= time && time <= SystemTime::now() + NEAR);
                            if (round + thread) % 16 == 0 {
                                clock.refresh_offset();
                            }
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn the_system_clock_counts_ns() {
        let clock = TscClock::on_system_clock();
        assert!(!clock.is_on_tsc());
        assert_eq!(clock.ticks_per_second(), 1_000_000_000);
        let from = Ticks(5);
        assert_eq!(clock.between(from, Ticks(1_000_000_012)), Duration::new(1, 7));
        assert_eq!(clock.between(Ticks(6), from), Duration::ZERO, "the wrong way round");
        let before = clock.now();
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.elapsed(before) >= Duration::from_millis(2));
        let snapshot = clock.snapshot();
        assert!(snapshot.ticks.0.abs_diff(snapshot.monotonic_ns.cast_unsigned()) < 1_000_000);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        for clock in both() {
            assert!(clock.between(Ticks(0), Ticks(u64::MAX)) > SECOND * 86_400);
            for ticks in [0, 1, u64::MAX / 2, u64::MAX] {
                clock.to_system_time(Ticks(ticks));
            }
        }
    }

    #[test]
    fn there_is_one_global_clock() {
        assert!(std::ptr::eq(TscClock::global(), TscClock::global()));
        assert!(TscClock::global().is_on_tsc() == TscClock::start().is_on_tsc());
    }
}
