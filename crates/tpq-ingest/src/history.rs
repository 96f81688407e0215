//! When a writer sequence wrote, and between which of its packets others were lost.

use tpq_clock::Clock;

use crate::packet::PacketHeader;

/// Gaps of one sequence that are remembered one by one; the rest is only counted.
const MOST_GAPS: usize = 100;
/// How long the stretches are over which bytes are summed, to find bursts: 10 ms.
const STRETCH_NS: i64 = 10_000_000;
/// The bit of `previous_packet_dropped` that says that something was lost, not why.
const PRESENT: u32 = 1;

/// A moment as it was written: a clock, and ns of it.
pub(crate) type Stamp = (Clock, i64);

/// What was between two packets of a sequence.
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
    /// Where packets were lost on the way.
    pub(crate) gaps: Vec<Gap>,
    /// Where packets could not be understood for want of state.
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
        self.first = self.first.or(Some(stamp));
        self.last = Some(stamp);
        close(&mut self.gaps, &mut self.open_gap, stamp);
        close(&mut self.skips, &mut self.open_skip, stamp);
        let stretch = stamp.1.div_euclid(STRETCH_NS);
        if self.stretch.0 != stretch {
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

fn open(gaps: &mut Vec<Gap>, open: &mut bool, after: Option<Stamp>) {
    if !*open && gaps.len() < MOST_GAPS {
        gaps.push(Gap { after, before: None });
        *open = true;
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
