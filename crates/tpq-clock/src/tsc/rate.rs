//! The rate of the counter, and conversion of ticks to ns.

use std::num::NonZeroU64;
use std::time::Duration;

use super::bracket::{Bracket, Pair, close_pair};
use super::source::TimeSource;
use super::system_clock::SystemClock;

/// The number of ns per second.
const SECOND: u64 = 1_000_000_000;

/// Time between the two ends of a measurement. A bracket has an error of about 10 ns, so the rate
/// has an error of about one in a million.
const INTERVAL: Duration = Duration::from_millis(5);
/// The number of pairs read at each end, which is the number of intervals measured.
const PAIRS: usize = 15;
/// The number of brackets read to find how narrow a bracket can be on this machine.
const TRIALS: usize = 64;
/// A bracket is close if it is no wider than this many times the narrowest one.
const TOLERANCE: u64 = 2;

/// The rate of a counter, in ticks per second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    ticks_per_second: NonZeroU64,
    /// Ns per tick in 64.64 fixed point: the integer part, and the fraction in units of 2⁻⁶⁴.
    whole: u64,
    parts: u64,
}

impl Rate {
    /// The rate of a counter that counts ns.
    pub(super) const NS: Self =
        Self { ticks_per_second: NonZeroU64::MIN.saturating_add(SECOND - 1), whole: 1, parts: 0 };

    /// Returns the rate of a counter with this number of ticks per second.
    pub fn new(ticks_per_second: NonZeroU64) -> Self {
        let rate = u128::from(ticks_per_second.get());
        let ns_per_tick = ((u128::from(SECOND) << 64) + rate / 2) / rate;
        Self {
            ticks_per_second,
            whole: (ns_per_tick >> 64) as u64,
            // The lower half.
            parts: ns_per_tick as u64,
        }
    }

    /// The number of ticks per second.
    pub fn ticks_per_second(self) -> u64 {
        self.ticks_per_second.get()
    }

    /// Converts `ticks` to ns, rounded to the nearest; [`u64::MAX`] if the result does not fit.
    #[inline]
    pub fn to_ns(self, ticks: u64) -> u64 {
        let of_parts = u128::from(ticks) * u128::from(self.parts) + (1 << 63);
        ticks.saturating_mul(self.whole).saturating_add((of_parts >> 64) as u64)
    }

    /// Measures the rate of a counter, which takes little more than [`INTERVAL`]. `None` if the
    /// counter and the system clock cannot be read close together, or if one of them does not go
    /// forward.
    pub(super) fn measure(source: &impl TimeSource) -> Option<Self> {
        let narrowest = Bracket::narrowest(source, SystemClock::Monotonic, TRIALS).width();
        let limit = narrowest.saturating_mul(TOLERANCE);
        let pairs = || (0..PAIRS).map(|_| close_pair(source, SystemClock::Monotonic, limit));
        let starts = pairs().collect::<Option<Vec<_>>>()?;
        source.pause(INTERVAL);
        let ends = pairs().collect::<Option<Vec<_>>>()?;
        let rates = starts.into_iter().zip(ends).filter_map(|(start, end)| between(start, end));
        median(rates.collect()).map(Self::new)
    }
}

/// The number of ticks per second, from two moments. `None` if either clock did not go forward.
fn between(start: Pair, end: Pair) -> Option<NonZeroU64> {
    let ticks = u128::from(end.ticks.checked_sub(start.ticks)?);
    let ns = u128::try_from(end.ns.checked_sub(start.ns)?).ok().filter(|&ns| ns > 0)?;
    let rate = (ticks * u128::from(SECOND) + ns / 2) / ns;
    u64::try_from(rate).ok().and_then(NonZeroU64::new)
}

/// The median; of an even number, the lower of the two middle values. An interval with an
/// interruption that no bracket showed is far off, and moves the median by one position only.
fn median(mut rates: Vec<NonZeroU64>) -> Option<NonZeroU64> {
    rates.sort_unstable();
    rates.get(rates.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    fn rate(ticks_per_second: u64) -> Rate {
        Rate::new(NonZeroU64::new(ticks_per_second).unwrap())
    }

    #[test]
    fn ticks_in_ns() {
        let half = rate(2_000_000_000);
        assert_eq!(half.to_ns(10), 5);
        assert_eq!(half.to_ns(11), 6, "5.5 rounds up");
        let third = rate(3_000_000_000);
        assert_eq!(third.to_ns(3), 1);
        assert_eq!(third.to_ns(4), 1, "1.33");
        assert_eq!(third.to_ns(5), 2, "1.67");
        assert_eq!(third.to_ns(3_000_000_000 * 3_600), 3_600_000_000_000, "an hour");
        let slow = rate(24_000_000);
        assert_eq!(slow.to_ns(1), 42, "41.67");
        assert_eq!(slow.to_ns(24_000_000), 1_000_000_000);
        assert_eq!(rate(1).to_ns(2), 2_000_000_000);
    }

    #[test]
    fn a_year_of_ticks_is_right_to_the_ns() {
        let seconds = 366 * 86_400;
        for ticks_per_second in [1_000_000_007, 2_494_140_000, 4_999_999_999] {
            let ns = rate(ticks_per_second).to_ns(ticks_per_second * seconds);
            assert_eq!(ns, SECOND * seconds, "{ticks_per_second}");
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        assert_eq!(rate(2_000_000_000).to_ns(u64::MAX), 1 << 63, "2⁶³ - 0.5 rounds up");
        assert_eq!(rate(SECOND + 1).to_ns(u64::MAX), 18_446_744_055_262_807_560);
        assert_eq!(rate(SECOND - 1).to_ns(u64::MAX), u64::MAX, "more than fits");
        assert_eq!(rate(1).to_ns(u64::MAX), u64::MAX, "more than fits");
        assert_eq!(rate(u64::MAX).to_ns(u64::MAX), SECOND);
        assert_eq!(rate(u64::MAX).to_ns(0), 0);
    }

    #[test]
    fn a_counter_of_ns_stays_as_it_is() {
        assert_eq!(Rate::NS, rate(SECOND));
        for ns in [0, 1, SECOND, u64::MAX] {
            assert_eq!(Rate::NS.to_ns(ns), ns);
        }
    }

    #[test]
    fn the_rate_between_two_moments() {
        let ticks_per_second = |start: (u64, i64), end: (u64, i64)| {
            let [start, end] = [start, end].map(|(ticks, ns)| Pair { ticks, ns });
            between(start, end).map(NonZeroU64::get)
        };
        assert_eq!(ticks_per_second((1_000, 500), (4_000, 1_500)), Some(3_000_000_000));
        assert_eq!(ticks_per_second((0, 0), (5, 3)), Some(1_666_666_667));
        let all = (u64::MAX, i64::MAX);
        assert_eq!(ticks_per_second((0, 0), all), Some(2_000_000_000));
        assert_eq!(ticks_per_second((0, 0), (u64::MAX, 1)), None, "more than fits");
        assert_eq!(ticks_per_second((9, 0), (8, 10)), None, "the counter went back");
        assert_eq!(ticks_per_second((0, 10), (10, 10)), None, "the clock stood still");
        assert_eq!(ticks_per_second((0, 10), (10, 9)), None, "the clock went back");
        assert_eq!(ticks_per_second((7, 0), (7, 10)), None, "the counter stood still");
        assert_eq!(ticks_per_second((0, i64::MIN), all), None, "the clock's step overflows");
    }

    #[test]
    fn the_median() {
        let middle = |rates: &[u64]| {
            median(rates.iter().filter_map(|&rate| NonZeroU64::new(rate)).collect())
                .map(NonZeroU64::get)
        };
        assert_eq!(middle(&[]), None);
        assert_eq!(middle(&[7]), Some(7));
        assert_eq!(middle(&[9, 1]), Some(1));
        assert_eq!(middle(&[30, 1_000_000, 29]), Some(30));
        assert_eq!(middle(&[4, 1, 3, 2]), Some(2));
    }

    #[test]
    fn the_rate_is_measured_despite_interruptions() {
        let fake = Fake::new(2_500_000_000, 25);
        // No interruption in the trials. Then every other read is interrupted, for longer each
        // time.
        fake.delay([0; TRIALS]);
        fake.delay((1..=4 * PAIRS as u64).map(|read| read % 2 * read * 10_000));
        let measured = Rate::measure(&fake).unwrap().ticks_per_second();
        assert_eq!(fake.delays_left(), 0, "each pair took two reads");
        // The fake truncates its clocks to whole ns: one in the five million of the interval.
        assert!(measured.abs_diff(2_500_000_000) <= 500, "{measured}");
    }

    #[test]
    fn clocks_that_cannot_be_read_close_together_have_no_rate() {
        let fake = Fake::new(2_500_000_000, 25);
        fake.delay([0; TRIALS]);
        fake.delay([10_000; 1_000]);
        assert_eq!(Rate::measure(&fake), None);
    }
}
