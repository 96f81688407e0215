//! When a writer sequence wrote, and between which of its packets others were lost.

use tpq_clock::Clock;

use crate::packet::PacketHeader;

/// Gaps of one sequence that are remembered one by one; the rest is only counted.
const MOST_GAPS: usize = 100;
/// Length of the intervals in which bytes are summed to find bursts: 10 ms.
const STRETCH_NS: i64 = 10_000_000;
/// Stretches by which a packet may seem to be older than the one before and be of the same drain.
const SAME_DRAIN: i64 = 10;
/// The bit of `previous_packet_dropped` that says that something was lost, not why.
const PRESENT: u32 = 1;

/// A moment as it was written: a clock, and ns of it.
pub(crate) type Stamp = (Clock, i64);

/// The gap between two packets of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// The last packet before that says when it was written.
    pub(crate) after: Option<Stamp>,
    /// The first packet behind that does.
    pub(crate) before: Option<Stamp>,
}

/// The packets of a sequence.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) pid: Option<i32>,
    pub(crate) first: Option<Stamp>,
    pub(crate) last: Option<Stamp>,
    /// Gaps in which packets were lost.
    pub(crate) gaps: Vec<Gap>,
    /// Gaps in which packets were skipped because their state was missing.
    pub(crate) skips: Vec<Gap>,
    /// How often each reason was given for a loss, by the number of its bit.
    pub(crate) reasons: [u64; 16],
    /// The most bytes that were written within a stretch.
    pub(crate) burst: u64,
    open_gap: bool,
    open_skip: bool,
    stretch: (i64, u64),
}

impl History {
    /// Takes note of a packet. `dropped` says whether packets before it were lost.
    pub(crate) fn note(&mut self, header: &PacketHeader, len: usize, usable: bool, dropped: bool) {
        self.packets += 1;
        self.bytes += len as u64;
        self.pid = header.pid.or(self.pid);
        if dropped {
            open(&mut self.gaps, &mut self.open_gap, self.last);
            for (bit, count) in self.reasons.iter_mut().enumerate() {
                *count += u64::from(header.previous_dropped >> bit & 1);
            }
        }
        if !usable {
            open(&mut self.skips, &mut self.open_skip, self.last);
        }
    }

    /// Takes note of when the packet under way, or an event in it, was recorded.
    pub(crate) fn date(&mut self, stamp: Stamp, len: usize) {
        self.first = Some(outer(self.first, stamp, i64::min));
        self.last = Some(outer(self.last, stamp, i64::max));
        close(&mut self.gaps, &mut self.open_gap, stamp);
        close(&mut self.skips, &mut self.open_skip, stamp);
        let stretch = stamp.1.div_euclid(STRETCH_NS);
        // The buffers of CPUs are drained together, but their last events lie a little apart.
        let age = self.stretch.0.saturating_sub(stretch);
        if !(0..SAME_DRAIN).contains(&age) {
            self.stretch = (stretch, 0);
        }
        self.stretch.1 += len as u64;
        self.burst = self.burst.max(self.stretch.1);
    }
}

/// Whether a packet's header says why packets before it were lost: then the service saw them lost,
/// where otherwise it marks what is merely the first packet it knows.
pub(crate) fn has_reason(previous_dropped: u32) -> bool {
    previous_dropped & !PRESENT != 0
}

/// The earlier or the later of two moments, as far as they can be compared.
fn outer(known: Option<Stamp>, stamp: Stamp, choose: fn(i64, i64) -> i64) -> Stamp {
    match known {
        Some((clock, ns)) if clock == stamp.0 => (clock, choose(ns, stamp.1)),
        // The first of all is the first; what came last is the last.
        Some(known) if choose(0, 1) == 0 => known,
        _ => stamp,
    }
}

fn open(gaps: &mut Vec<Gap>, open: &mut bool, after: Option<Stamp>) {
    if *open {
        return;
    }
    *open = true;
    let full = gaps.len() >= MOST_GAPS;
    match gaps.last_mut() {
        // The last that is remembered reaches over all that come after it.
        Some(last) if full => last.before = None,
        _ => gaps.push(Gap { after, before: None }),
    }
}

fn close(gaps: &mut [Gap], open: &mut bool, before: Stamp) {
    if *open {
        *open = false;
        if let Some(gap) = gaps.last_mut() {
            gap.before = Some(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use tpq_clock::{BOOTTIME, MONOTONIC, Source};

    use super::*;

    fn boot(ns: i64) -> Stamp {
        (Clock::of_source(Source::default(), BOOTTIME), ns)
    }

    fn lost(history: &mut History) {
        open(&mut history.gaps, &mut history.open_gap, history.last);
    }

    #[test]
    fn bundles_written_together_are_one_burst() {
        const MS: i64 = 1_000_000;
        let mut history = History::default();
        for (ms, len) in [(1_000, 5), (995, 3), (1_002, 4)] {
            history.date(boot(ms * MS), len);
        }
        assert_eq!(history.burst, 12);
        history.date(boot(1_100 * MS), 6);
        history.date(boot(500 * MS), 7);
        assert_eq!(history.burst, 12, "each of these on its own");
    }

    #[test]
    fn a_sequence_spans_what_it_wrote_in_whatever_order() {
        let mut history = History::default();
        for ns in [20, 10, 40, 30] {
            history.date(boot(ns), 0);
        }
        assert_eq!((history.first, history.last), (Some(boot(10)), Some(boot(40))));
        // Another clock cannot be compared: what came last is the last.
        let other = (Clock::of_source(Source::default(), MONOTONIC), 5);
        history.date(other, 0);
        assert_eq!((history.first, history.last), (Some(boot(10)), Some(other)));
    }

    #[test]
    fn of_many_gaps_the_last_that_is_remembered_reaches_to_the_end_of_all() {
        let mut history = History::default();
        for ns in 0..MOST_GAPS as i64 + 5 {
            history.date(boot(ns), 0);
            lost(&mut history);
        }
        let last = |history: &History| history.gaps.last().and_then(|gap| gap.before);
        assert_eq!((history.gaps.len(), last(&history)), (MOST_GAPS, None), "still lost");
        history.date(boot(500), 0);
        assert_eq!(last(&history), Some(boot(500)));
    }
}
