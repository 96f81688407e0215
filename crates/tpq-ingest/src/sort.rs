//! Merges runs into one stream in the order of trace time.
//!
//! The order is that of (time, lane, packet, run). By default a window closes whenever the
//! recorder has read its buffers after two flushes: whatever was written before the read before
//! that is then complete, and is passed on. Events older than what was passed on are dropped and
//! counted. Where the recorder never says so, a window ends when it holds as much as it may, and
//! its older half is passed on. A full sort passes nothing on before the end.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;

use crate::loss::{LossBook, LossEntry};
use crate::{Loss, Mark, PlaceId, Run, RunId};

/// Takes events in order. `index` is the event's place in the run.
pub trait Emit {
    /// Takes one event.
    fn emit(&mut self, ts: i64, run: &Arc<Run>, index: usize);
}

/// The next event of a run, ordered as the sorter orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    ts: i64,
    rank: u64,
    run: RunId,
    slot: u32,
}

struct Active {
    id: RunId,
    run: Arc<Run>,
    next: usize,
}

/// Runs under way in a lane that are kept in order; more of them wait in the heap.
const FEW: usize = 64;

/// Runs that sort among themselves first: all packets, or all of one CPU.
///
/// Events of the few runs that overlap at a time alternate, and to put a run back among those is
/// much less work than to sift it through a heap of all.
#[derive(Default)]
struct Lane {
    /// Runs under way, the one with the earliest event last.
    active: Vec<Head>,
    /// All others.
    waiting: BinaryHeap<Reverse<Head>>,
}

impl Lane {
    fn add(&mut self, head: Head) {
        self.waiting.push(Reverse(head));
    }

    /// The run with the earliest event.
    fn first(&self) -> Option<Head> {
        let waiting = self.waiting.peek().map(|&Reverse(head)| head);
        match (self.active.last(), waiting) {
            (Some(&active), Some(waiting)) => Some(active.min(waiting)),
            (active, waiting) => active.copied().or(waiting),
        }
    }

    /// Takes that run out.
    fn take_first(&mut self) {
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
    fn put_back(&mut self, head: Head) {
        if self.active.len() >= FEW {
            return self.add(head);
        }
        let earlier = self.active.iter().rev().take_while(|other| **other < head).count();
        self.active.insert(self.active.len() - earlier, head);
    }
}

/// Merges the runs of one file.
pub struct Sorter {
    /// The most that a window may hold, in bytes; none for a full sort.
    window: Option<u64>,
    lanes: BTreeMap<(PlaceId, u32), Lane>,
    slots: Vec<Option<Active>>,
    free: Vec<u32>,
    next_run: RunId,
    flushes: u32,
    window_end: RunId,
    passed_on: i64,
    /// What the runs that are held take, in bytes, and the most they ever took.
    held: u64,
    peak: u64,
    /// Which runs were first after each eighth of what a window may hold, the oldest first.
    eighths: VecDeque<RunId>,
    since_eighth: u64,
    losses: LossBook,
}

impl Sorter {
    /// A sorter by windows of at most so many bytes of runs, or in full.
    pub fn new(window: Option<u64>) -> Self {
        Self {
            window,
            lanes: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            next_run: 0,
            flushes: 0,
            window_end: 0,
            passed_on: i64::MIN,
            held: 0,
            peak: 0,
            eighths: VecDeque::new(),
            since_eighth: 0,
            losses: LossBook::default(),
        }
    }

    /// The most bytes that runs took which waited to be passed on.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// What was too late.
    pub fn losses(&self) -> &LossBook {
        &self.losses
    }

    /// Adds a run; events older than what was passed on are dropped and counted.
    pub fn push(&mut self, run: Run) {
        let late = run.timestamps.partition_point(|&ts| ts < self.passed_on);
        self.lose(&run, late);
        let id = self.next_run;
        self.next_run += 1;
        let Some(&ts) = run.timestamps.get(late) else { return };
        self.hold(run.bytes());
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        if slot as usize == self.slots.len() {
            self.slots.push(None);
        }
        let head = Head { ts, rank: run.rank_of(late), run: id, slot };
        self.lanes.entry((run.place, run.lane)).or_default().add(head);
        self.slots[slot as usize] = Some(Active { id, run: Arc::new(run), next: late });
    }

    fn hold(&mut self, bytes: u64) {
        self.held += bytes;
        self.peak = self.peak.max(self.held);
        self.since_eighth += bytes;
        if self.window.is_some_and(|window| self.since_eighth > window / 8) {
            self.eighths.push_back(self.next_run);
            self.since_eighth = 0;
        }
    }

    /// Passes on the oldest of what is held, where it is more than a window may hold.
    pub fn relieve(&mut self, out: &mut impl Emit) {
        let Some(window) = self.window else { return };
        if self.held <= window {
            return;
        }
        while self.held > window / 2 {
            // A run that is as recent as it gets may hold the earliest event: then all must go.
            let end = self.eighths.pop_front().unwrap_or(self.next_run);
            self.merge(end, out);
            if end == self.next_run {
                return;
            }
        }
    }

    /// Counts the first events of a run, which are too late.
    fn lose(&mut self, run: &Run, count: usize) {
        if count > 0 {
            let entry = LossEntry {
                loss: Loss::OutOfOrder,
                place: run.place,
                addr: run.addr_of(0),
                position: run.position_of(0),
                clock: None,
                timestamp: run.timestamps.first().copied(),
                sequence: None,
                text: None,
            };
            self.losses.enter(entry, count as u64);
        }
    }

    /// Notes what the recorder did; passes on what that completes.
    pub fn mark(&mut self, mark: Mark, out: &mut impl Emit) {
        match mark {
            Mark::Flushed => self.flushes += 1,
            Mark::ReadBuffers if self.window.is_some() && self.flushes >= 2 => {
                self.merge(self.window_end, out);
                self.window_end = self.next_run;
                self.flushes = 0;
            }
            Mark::ReadBuffers => {}
        }
    }

    /// Passes on all that is left.
    pub fn finish(&mut self, out: &mut impl Emit) {
        self.merge(RunId::MAX, out);
    }

    /// Passes events on in order until the next one is of a run not older than `end`.
    fn merge(&mut self, end: RunId, out: &mut impl Emit) {
        let mut lanes: Vec<_> = std::mem::take(&mut self.lanes).into_iter().collect();
        let mut turns = Turns::of(lanes.iter().map(|(_, lane)| lane));
        while let Some((lane, bound)) = turns.next() {
            if !self.drain(&mut lanes[lane].1, bound, end, out) {
                break;
            }
            turns.set(lanes[lane].1.first());
        }
        lanes.retain(|(_, lane)| lane.first().is_some());
        self.lanes = lanes.into_iter().collect();
    }

    /// Passes on one lane's events up to `bound`; false when the window ends there.
    fn drain(&mut self, lane: &mut Lane, bound: i64, end: RunId, out: &mut impl Emit) -> bool {
        while let Some(head) = lane.first() {
            if head.ts > bound {
                return true;
            }
            if head.run >= end {
                return false;
            }
            lane.take_first();
            let next_head = lane.first();
            let Some(active) = &mut self.slots[head.slot as usize] else { continue };
            debug_assert_eq!(active.id, head.run);
            // Stay in this run for as long as it holds the lane's earliest event.
            let mut current = head;
            let following = loop {
                out.emit(current.ts, &active.run, active.next);
                self.passed_on = current.ts;
                active.next += 1;
                let Some(&ts) = active.run.timestamps.get(active.next) else { break None };
                current = Head { ts, rank: active.run.rank_of(active.next), ..current };
                if ts > bound || next_head.is_some_and(|next| next < current) {
                    break Some(current);
                }
            };
            match following {
                Some(head) => lane.put_back(head),
                None => {
                    self.held = self.held.saturating_sub(active.run.bytes());
                    self.slots[head.slot as usize] = None;
                    self.free.push(head.slot);
                }
            }
        }
        true
    }
}

/// Whose turn it is: lanes by the time of their next event, and by their order where it is the same.
struct Turns {
    lanes: BinaryHeap<Reverse<(i64, usize)>>,
}

impl Turns {
    fn of<'a>(lanes: impl Iterator<Item = &'a Lane>) -> Self {
        let turn = |(index, lane): (usize, &Lane)| Some(Reverse((lane.first()?.ts, index)));
        Self { lanes: lanes.enumerate().filter_map(turn).collect() }
    }

    /// The lane whose next event is earliest, and how far it may go before another's turn.
    fn next(&self) -> Option<(usize, i64)> {
        let [Reverse((_, first)), others @ ..] = self.lanes.as_slice() else { return None };
        // One of the first's two children is second.
        let second = others.iter().take(2).map(|&Reverse(turn)| turn).min();
        // At one time the lower lane goes first.
        let bound = second.map_or(i64::MAX, |(ts, next)| if *first < next { ts } else { ts - 1 });
        Some((*first, bound))
    }

    /// Says when the next event is of the lane whose turn it was, if there is one.
    fn set(&mut self, next: Option<Head>) {
        let Some(mut first) = self.lanes.peek_mut() else { return };
        match next {
            Some(head) => first.0.0 = head.ts,
            None => {
                PeekMut::pop(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Payload, RunKind};

    /// What came out: time and the number of the run's packet.
    #[derive(Default)]
    struct Out(Vec<(i64, u32)>);

    impl Emit for Out {
        fn emit(&mut self, ts: i64, run: &Arc<Run>, _: usize) {
            self.0.push((ts, run.position));
        }
    }

    fn run(lane: u32, position: u32, timestamps: &[i64]) -> Run {
        Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            lane,
            place: 0,
            generation: 0,
            position,
            addr: 0,
            timestamps: timestamps.to_vec(),
            payload: Payload::Bundle { addr: 0, places: vec![(0, 0); timestamps.len()] },
        }
    }

    fn sorted(windowed: bool, steps: &[Result<Run, Mark>]) -> (Vec<(i64, u32)>, u64) {
        let mut sorter = Sorter::new(windowed.then_some(u64::MAX));
        let mut out = Out::default();
        for step in steps {
            match step {
                Ok(run) => sorter.push(run.clone()),
                Err(mark) => sorter.mark(*mark, &mut out),
            }
        }
        sorter.finish(&mut out);
        (out.0, sorter.losses().get(Loss::OutOfOrder))
    }

    #[test]
    fn runs_of_several_lanes_merge_by_time_then_lane_then_packet() {
        let steps = [Ok(run(2, 0, &[1, 5, 9])), Ok(run(1, 1, &[2, 5])), Ok(run(1, 2, &[2, 7]))];
        let expected = vec![(1, 0), (2, 1), (2, 2), (5, 1), (5, 0), (7, 2), (9, 0)];
        assert_eq!(sorted(true, &steps), (expected.clone(), 0));
        assert_eq!(sorted(false, &steps), (expected, 0));
    }

    /// Two flushes and a read set where the window ends; the next such read closes it.
    fn close_a_window() -> [Result<Run, Mark>; 3] {
        [Err(Mark::Flushed), Err(Mark::Flushed), Err(Mark::ReadBuffers)]
    }

    #[test]
    fn what_comes_after_its_window_closed_is_dropped_and_counted() {
        let mut steps = vec![Ok(run(1, 0, &[10, 20]))];
        steps.extend(close_a_window());
        steps.extend(close_a_window());
        steps.push(Ok(run(1, 1, &[15, 30])));
        assert_eq!(sorted(true, &steps), (vec![(10, 0), (20, 0), (30, 1)], 1));
        assert_eq!(sorted(false, &steps), (vec![(10, 0), (15, 1), (20, 0), (30, 1)], 0));
    }

    #[test]
    fn a_window_does_not_close_over_what_was_written_after_it() {
        let mut steps = vec![Ok(run(1, 0, &[10, 20]))];
        steps.extend(close_a_window());
        steps.push(Ok(run(2, 1, &[15])));
        steps.extend(close_a_window());
        steps.push(Ok(run(1, 2, &[18])));
        let expected = vec![(10, 0), (15, 1), (18, 2), (20, 0)];
        assert_eq!(sorted(true, &steps), (expected, 0));
    }

    /// Without a word from the recorder, at most a window's worth is held: what is older than its
    /// middle is passed on, and what comes later and is older still is dropped.
    #[test]
    fn a_window_without_marks_ends_when_it_is_full() {
        let one = run(1, 0, &[0; 100]).bytes();
        let mut sorter = Sorter::new(Some(8 * one));
        let mut out = Out::default();
        for step in 0..100 {
            let from = i64::from(step) * 100;
            sorter.push(run(1, step as u32, &(from..from + 100).collect::<Vec<_>>()));
            sorter.relieve(&mut out);
        }
        assert!(sorter.peak() <= 9 * one, "{} of {one}", sorter.peak());
        assert_eq!(sorter.losses().get(Loss::OutOfOrder), 0);
        // Stale events: one of long ago, one of within the window.
        sorter.push(run(2, 100, &[5_000]));
        sorter.push(run(2, 101, &[9_900]));
        sorter.finish(&mut out);
        assert_eq!(sorter.losses().get(Loss::OutOfOrder), 1);
        assert_eq!(out.0.len(), 10_001);
        assert!(out.0.is_sorted_by_key(|&(ts, _)| ts));
    }

    proptest::proptest! {
        /// More runs overlap than are kept in order beside the heap, in several lanes.
        #[test]
        fn events_come_as_a_stable_sort_has_them(
            runs in proptest::collection::vec(
                (0..3_u32, proptest::collection::vec(0..50_i64, 1..6)), 1..300,
            ),
        ) {
            let mut sorter = Sorter::new(None);
            let mut expected = Vec::new();
            for (position, (lane, mut timestamps)) in (0..).zip(runs) {
                timestamps.sort_unstable();
                expected.extend(timestamps.iter().map(|&ts| (ts, lane, position)));
                sorter.push(run(lane, position, &timestamps));
            }
            let mut out = Out::default();
            sorter.finish(&mut out);
            expected.sort();
            let expected: Vec<_> = expected.iter().map(|&(ts, _, position)| (ts, position)).collect();
            proptest::prop_assert_eq!(out.0, expected);
        }
    }
}
