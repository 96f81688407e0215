//! Which run has the next event: lanes, and turns between lanes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::RunId;

/// Slots from here on are segments in the store; those below are runs in memory.
pub(super) const SEGMENTS: u32 = 1 << 31;

/// The next event of a run, ordered as the sorter orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Head {
    /// Timestamp, ns in trace time.
    pub(crate) ts: i64,
    /// The order of events of one time in one lane.
    pub(crate) rank: u64,
    /// The run.
    pub(crate) run: RunId,
    /// The position of the run in the sorter, or the segment with a next block that begins with it.
    pub(super) slot: u32,
}

impl Head {
    /// Of an event with a rank of its own.
    pub(crate) fn ranked(ts: i64, rank: u64) -> Self {
        Self { ts, rank, run: 0, slot: 0 }
    }
}

/// Runs under way in a lane that are kept in order; more of them wait in the heap.
const FEW: usize = 64;

/// Runs that sort among themselves first: all packets, or all of one CPU.
///
/// Events of the few runs that overlap at a time alternate, and to put a run back among those is
/// much less work than to sift it through a heap of all.
#[derive(Default)]
pub(super) struct Lane {
    /// Runs under way, the one with the earliest event last.
    active: Vec<Head>,
    /// All others.
    waiting: BinaryHeap<Reverse<Head>>,
}

impl Lane {
    pub(super) fn add(&mut self, head: Head) {
        self.waiting.push(Reverse(head));
    }

    /// The run with the earliest event.
    pub(super) fn first(&self) -> Option<Head> {
        let waiting = self.waiting.peek().map(|&Reverse(head)| head);
        match (self.active.last(), waiting) {
            (Some(&active), Some(waiting)) => Some(active.min(waiting)),
            (active, waiting) => active.copied().or(waiting),
        }
    }

    /// Takes that run out.
    pub(super) fn take_first(&mut self) {
        let waiting = self.waiting.peek().map(|&Reverse(head)| head);
        match self.active.last() {
            Some(&active) if waiting.is_none_or(|waiting| active < waiting) => {
                self.active.pop();
            }
            _ => {
                self.waiting.pop();
            }
        }
    }

    /// Puts a run back that goes on later.
    pub(super) fn put_back(&mut self, head: Head) {
        if self.active.len() >= FEW {
            return self.add(head);
        }
        let earlier = self.active.iter().rev().take_while(|other| **other < head).count();
        self.active.insert(self.active.len() - earlier, head);
    }

    /// Takes out the heads of segments.
    pub(super) fn drop_segments(&mut self) {
        self.active.retain(|head| head.slot < SEGMENTS);
        self.waiting.retain(|Reverse(head)| head.slot < SEGMENTS);
    }
}

/// The next lane: lanes by the time of their next event, and by their order where it is the
/// same.
pub(super) struct LaneQueue {
    lanes: BinaryHeap<Reverse<(i64, usize)>>,
}

impl LaneQueue {
    pub(super) fn of<'a>(lanes: impl Iterator<Item = &'a Lane>) -> Self {
        let turn = |(index, lane): (usize, &Lane)| Some(Reverse((lane.first()?.ts, index)));
        Self { lanes: lanes.enumerate().filter_map(turn).collect() }
    }

    /// The lane with the earliest next event, and how far it may go before another lane is due.
    pub(super) fn next(&self) -> Option<(usize, i64)> {
        let [Reverse((_, first)), others @ ..] = self.lanes.as_slice() else { return None };
        // One of the first's two children is second.
        let second = others.iter().take(2).map(|&Reverse(turn)| turn).min();
        // At one time the lower lane goes first.
        let bound = second.map_or(i64::MAX, |(ts, next)| if *first < next { ts } else { ts - 1 });
        Some((*first, bound))
    }

    /// Sets the time of the next event of the lane that was due, if there is one.
    pub(super) fn set(&mut self, next: Option<Head>) {
        let Some(mut first) = self.lanes.peek_mut() else { return };
        match next {
            Some(head) => first.0.0 = head.ts,
            None => {
                PeekMut::pop(first);
            }
        }
    }
}
