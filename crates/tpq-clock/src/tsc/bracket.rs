//! A clock of the system, read between two reads of the counter.

use super::source::TimeSource;
use super::system_clock::SystemClock;

/// What the counter and a clock of the system read at the same moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The counter.
    pub(super) ticks: u64,
    /// The clock, in ns.
    pub(super) ns: i64,
}

/// One read of a clock, and the reads of the counter before and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket {
    before: u64,
    ns: i64,
    after: u64,
}

impl Bracket {
    /// Reads the three.
    pub(super) fn read(source: &impl TimeSource, clock: SystemClock) -> Self {
        let before = source.ticks();
        let ns = source.system_ns(clock);
        Self { before, ns, after: source.ticks() }
    }

    /// The narrowest of `reads` brackets, of at least one. Narrow ones say best when the clock was
    /// read; in a wide one the thread was interrupted, before or after nobody knows.
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

    /// How many ticks apart the two reads of the counter are. A counter that went back makes this
    /// a huge number, and the bracket one to refuse.
    pub(super) fn width(&self) -> u64 {
        self.after.wrapping_sub(self.before)
    }

    /// The clock's reading with the middle of the bracket.
    pub(super) fn pair(&self) -> Pair {
        Pair { ticks: u64::midpoint(self.before, self.after), ns: self.ns }
    }
}

/// Brackets that may be too wide before a pair is given up.
const ATTEMPTS: usize = 1_000;

/// A pair of the counter and `clock`, from the first bracket no wider than `limit` ticks. `None`
/// when none of many is.
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
        // Two ticks to a ns; each read of the counter takes 10 ticks.
        let fake = Fake::new(2_000_000_000, 10);
        fake.delay([500, 300, 20, 0]);
        let pair = close_pair(&fake, SystemClock::Monotonic, 40).unwrap();
        // From 10 to 520, from 530 to 840, from 850 to 880 with the read at 870.
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
