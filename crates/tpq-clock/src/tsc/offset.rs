//! The offset from the counter to the time of day.

use std::sync::atomic::{AtomicU64, Ordering};

use super::bracket::Bracket;
use super::rate::Rate;
use super::source::TimeSource;
use super::system_clock::SystemClock;

/// The number of brackets read for a measurement, of which the narrowest is used.
const READS: usize = 5;
/// The number of measurements per second of use.
const REFRESHES_PER_SECOND: u64 = 10;

/// The offset from the counter to `CLOCK_REALTIME`. It is read and replaced without a lock.
#[derive(Debug)]
pub(super) struct Offset {
    rate: Rate,
    /// The offset to add to ticks in ns, modulo 2⁶⁴. It is the only state of a measurement, so no
    /// other memory has to be synchronized with it, and relaxed loads and stores are enough.
    ns: AtomicU64,
    /// Ticks after this value need a new measurement.
    due: AtomicU64,
}

impl Offset {
    /// Measures the offset now.
    pub(super) fn new(source: &impl TimeSource, rate: Rate) -> Self {
        let offset = Self { rate, ns: AtomicU64::new(0), due: AtomicU64::new(0) };
        offset.refresh(source);
        offset
    }

    /// Measures the offset again.
    pub(super) fn refresh(&self, source: &impl TimeSource) {
        self.due.store(self.next_due(source), Ordering::Relaxed);
        self.measure(source);
    }

    fn measure(&self, source: &impl TimeSource) {
        let before = self.ns.load(Ordering::Relaxed);
        let pair = Bracket::narrowest(source, SystemClock::Realtime, READS).pair();
        let after = pair.ns.cast_unsigned().wrapping_sub(self.rate.to_ns(pair.ticks));
        // Another thread may have measured in the meantime, later than this one read its pair. Then
        // its result is kept, so the result of this exchange is ignored.
        let _ = self.ns.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Converts `ticks` to ns since 1970, after a new measurement if one is due. Old ticks never
    /// cause a measurement: the current offset was measured after them.
    pub(super) fn apply(&self, source: &impl TimeSource, ticks: u64) -> i64 {
        let due = self.due.load(Ordering::Relaxed);
        if ticks > due {
            // If several threads get here at the same time, one of them advances the due time and
            // measures. The others do not wait for it: the offset that they use is older but not
            // wrong.
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
        source.ticks().saturating_add(self.rate.ticks_per_second() / REFRESHES_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::super::fake::{EPOCH, Fake};
    use super::*;

    const RATE: u64 = 2_000_000_000;

    fn measured(fake: &Fake) -> Offset {
        Offset::new(fake, Rate::new(NonZeroU64::new(RATE).unwrap()))
    }

    #[test]
    fn ticks_are_divided_by_the_rate_and_moved_by_the_offset() {
        // Brackets of 2 ticks. The fake reads its clocks in the middle of them.
        let fake = Fake::new(RATE, 2);
        fake.skip(1_000_000);
        let offset = measured(&fake);
        // The narrowest bracket's middle is a tick, half a ns, off the read.
        let error = |ticks, ns| offset.apply(&fake, ticks).abs_diff(EPOCH + ns);
        assert!(error(0, 0) <= 1);
        assert!(error(3_000_000, 1_500_000) <= 1);
    }

    #[test]
    fn a_clock_that_was_set_is_followed_after_the_next_refresh() {
        let fake = Fake::new(RATE, 2);
        let offset = measured(&fake);
        fake.set_realtime(-77_000);
        fake.skip(RATE / 20);
        let soon = RATE / 20;
        assert!(offset.apply(&fake, soon).abs_diff(EPOCH + 50_000_000) <= 1, "not due");
        fake.skip(RATE / 10);
        let later = RATE / 20 * 3;
        assert!(offset.apply(&fake, later).abs_diff(EPOCH + 150_000_000 - 77_000) <= 1, "due");
        fake.set_realtime(0);
        offset.refresh(&fake);
        assert!(offset.apply(&fake, later).abs_diff(EPOCH + 150_000_000) <= 1, "by request");
    }

    #[test]
    fn any_ticks_have_some_time() {
        let fake = Fake::new(RATE, 2);
        let offset = measured(&fake);
        offset.apply(&fake, u64::MAX);
        offset.apply(&fake, u64::MAX);
        assert!(offset.apply(&fake, 0).abs_diff(EPOCH) <= 1);
    }
}
