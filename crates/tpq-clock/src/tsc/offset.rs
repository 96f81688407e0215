//! Where the counter's zero lies in the time of day.

use std::sync::atomic::{AtomicU64, Ordering};

use super::bracket::Bracket;
use super::rate::Rate;
use super::source::TimeSource;
use super::system_clock::SystemClock;

/// Brackets read for a tie, of which the narrowest is used.
const READS: usize = 5;
/// Ties in a second of use.
const TIES_PER_SECOND: u64 = 10;

/// The offset from the counter to `CLOCK_REALTIME`. Read and replaced without a lock.
#[derive(Debug)]
pub(super) struct Offset {
    rate: Rate,
    /// What to add to ticks in ns, modulo 2⁶⁴. It is all there is to a tie, so nothing else has to
    /// be seen together with it, and relaxed loads and stores do.
    ns: AtomicU64,
    /// Ticks beyond this call for another tie.
    due: AtomicU64,
}

impl Offset {
    /// The offset now.
    pub(super) fn new(source: &impl TimeSource, rate: Rate) -> Self {
        let offset = Self { rate, ns: AtomicU64::new(0), due: AtomicU64::new(0) };
        offset.tie(source);
        offset
    }

    /// Measures the offset anew.
    pub(super) fn tie(&self, source: &impl TimeSource) {
        self.due.store(self.next_due(source), Ordering::Relaxed);
        self.measure(source);
    }

    fn measure(&self, source: &impl TimeSource) {
        let before = self.ns.load(Ordering::Relaxed);
        let pair = Bracket::narrowest(source, SystemClock::Realtime, READS).pair();
        let after = pair.ns.cast_unsigned().wrapping_sub(self.rate.to_ns(pair.ticks));
        // Another thread may have tied in the meantime, later than this one read its pair; then
        // that one's is kept, so whether this exchange is made does not matter.
        let _ = self.ns.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `ticks` in ns since 1970, after another tie if it is time for one. Ticks from long ago are
    /// none: the offset known was measured after them already.
    pub(super) fn apply(&self, source: &impl TimeSource, ticks: u64) -> i64 {
        let due = self.due.load(Ordering::Relaxed);
        if ticks > due {
            // Of all the threads that come here at once, one moves the time on and ties; the rest
            // need not wait for it, as the offset they find is not wrong, only older.
            let next = self.next_due(source);
            let won = self.due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
            if won.is_ok() {
                self.measure(source);
            }
        }
        let offset = self.ns.load(Ordering::Relaxed);
        self.rate.to_ns(ticks).wrapping_add(offset).cast_signed()
    }

    fn next_due(&self, source: &impl TimeSource) -> u64 {
        source.ticks().saturating_add(self.rate.ticks_per_second() / TIES_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::super::fake::{EPOCH, Fake};
    use super::*;

    const RATE: u64 = 2_000_000_000;

    fn tied(fake: &Fake) -> Offset {
        Offset::new(fake, Rate::new(NonZeroU64::new(RATE).unwrap()))
    }

    #[test]
    fn ticks_are_divided_by_the_rate_and_moved_by_the_offset() {
        // Brackets of 2 ticks: their middle is where the fake reads its clocks.
        let fake = Fake::new(RATE, 2);
        fake.skip(1_000_000);
        let offset = tied(&fake);
        // The narrowest bracket's middle is a tick, half a ns, off the read.
        let error = |ticks, ns| offset.apply(&fake, ticks).abs_diff(EPOCH + ns);
        assert!(error(0, 0) <= 1);
        assert!(error(3_000_000, 1_500_000) <= 1);
    }

    #[test]
    fn a_clock_that_was_set_is_followed_after_the_next_tie() {
        let fake = Fake::new(RATE, 2);
        let offset = tied(&fake);
        fake.set_realtime(-77_000);
        fake.skip(RATE / 20);
        let soon = RATE / 20;
        assert!(offset.apply(&fake, soon).abs_diff(EPOCH + 50_000_000) <= 1, "not due");
        fake.skip(RATE / 10);
        let later = RATE / 20 * 3;
        assert!(offset.apply(&fake, later).abs_diff(EPOCH + 150_000_000 - 77_000) <= 1, "due");
        fake.set_realtime(0);
        offset.tie(&fake);
        assert!(offset.apply(&fake, later).abs_diff(EPOCH + 150_000_000) <= 1, "by request");
    }

    #[test]
    fn any_ticks_have_some_time() {
        let fake = Fake::new(RATE, 2);
        let offset = tied(&fake);
        offset.apply(&fake, u64::MAX);
        offset.apply(&fake, u64::MAX);
        assert!(offset.apply(&fake, 0).abs_diff(EPOCH) <= 1);
    }
}
