//! A read of a system clock between two reads of the counter.

use super::source::TimeSource;
use super::system_clock::SystemClock;

/// Values of the counter and a system clock at the same moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The counter, in ticks.
    pub(super) ticks: u64,
    /// The system clock, in ns.
    pub(super) ns: i64,
}

/// One read of a system clock, and the reads of the counter before and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket {
    before: u64,
    ns: i64,
    after: u64,
}

impl Bracket {
    /// Reads the counter, the clock and the counter again.
    pub(super) fn read(source: &impl TimeSource, clock: SystemClock) -> Self {
        let before = source.ticks();
        let ns = source.system_ns(clock);
        Self { before, ns, after: source.ticks() }
    }

    /// The narrowest of `reads` brackets, at least one. A narrow bracket shows precisely when the
    /// clock was read. In a wide one the thread was interrupted, before or after the read.
    pub(super) fn narrowest(source: &impl TimeSource, clock: SystemClock, reads: usize) -> Self {
        let mut best = Self::read(source, clock);
        for _ in 1..reads {
            let next = Self::read(source, clock);
            if next.width() < best.width() {
                best = next;
            }
        }
        best
    }

    /// The distance between the two reads of the counter, in ticks. If the counter went backwards,
    /// this is a huge number, so that the bracket is refused.
    pub(super) fn width(&self) -> u64 {
        self.after.wrapping_sub(self.before)
    }

    /// The reading of the clock, paired with the middle of the bracket.
    pub(super) fn pair(&self) -> Pair {
        Pair { ticks: u64::midpoint(self.before, self.after), ns: self.ns }
    }
}

/// The number of attempts to read a bracket that is narrow enough.
const ATTEMPTS: usize = 1_000;

/// A pair of the counter and `clock`, from the first bracket that is no wider than `limit` ticks.
/// `None` if all attempts are wider.
pub(super) fn close_pair(source: &impl TimeSource, clock: SystemClock, limit: u64) -> Option<Pair> {
    (0..ATTEMPTS)
        .map(|_| Bracket::read(source, clock))
        .find(|bracket| bracket.width() <= limit)
        .map(|bracket| bracket.pair())
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn the_pair_of_a_bracket_is_its_middle() {
        let pair = |before, after| Bracket { before, ns: 7, after }.pair();
        assert_eq!(pair(100, 140), Pair { ticks: 120, ns: 7 });
        assert_eq!(pair(u64::MAX - 4, u64::MAX), Pair { ticks: u64::MAX - 2, ns: 7 });
    }

    #[test]
    fn wide_brackets_are_read_again() {
        // Two ticks per ns. Each read of the counter takes 10 ticks.
        let fake = Fake::new(2_000_000_000, 10);
        fake.delay([500, 300, 20, 0]);
        let pair = close_pair(&fake, SystemClock::Monotonic, 40).unwrap();
        // The brackets: 10 to 520, 530 to 840, and 850 to 880 with the read at 870.
        assert_eq!(pair, Pair { ticks: 865, ns: 435 });
        assert_eq!(fake.delays_left(), 1);
    }

    #[test]
    fn a_clock_that_is_never_close_gives_no_pair() {
        let fake = Fake::new(2_000_000_000, 10);
        assert_eq!(close_pair(&fake, SystemClock::Monotonic, 9), None);
    }

    #[test]
    fn the_narrowest_of_several_is_kept() {
        let fake = Fake::new(2_000_000_000, 10);
        fake.delay([500, 0, 20]);
        assert_eq!(Bracket::narrowest(&fake, SystemClock::Monotonic, 3).width(), 10);
        assert_eq!(fake.delays_left(), 0);
    }

    #[test]
    fn a_counter_that_went_back_is_refused() {
        assert!(Bracket { before: 100, ns: 7, after: 90 }.width() > 1 << 60);
    }
}
