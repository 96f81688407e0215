//! Merges runs into one stream in the order of trace time.
//!
//! The order is that of (time, lane, packet, run). By default a window closes whenever the
//! recorder has read its buffers after two flushes: whatever was written before the read before
//! that is then complete, and is passed on. Events older than what was passed on are dropped and
//! counted. A full sort passes nothing on before the end.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
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
    position: u32,
    run: RunId,
    slot: u32,
}

struct Active {
    id: RunId,
    run: Arc<Run>,
    next: usize,
}

/// Runs that sort among themselves first: all packets, or all of one CPU.
#[derive(Default)]
struct Lane {
    heads: BinaryHeap<Reverse<Head>>,
}

/// Merges the runs of one file.
pub struct Sorter {
    windowed: bool,
    lanes: BTreeMap<(PlaceId, u32), Lane>,
    slots: Vec<Option<Active>>,
    free: Vec<u32>,
    next_run: RunId,
    flushes: u32,
    window_end: RunId,
    passed_on: i64,
    losses: LossBook,
}

impl Sorter {
    /// A sorter; `windowed` or full.
    pub fn new(windowed: bool) -> Self {
        Self {
            windowed,
            lanes: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            next_run: 0,
            flushes: 0,
            window_end: 0,
            passed_on: i64::MIN,
            losses: LossBook::default(),
        }
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
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        if slot as usize == self.slots.len() {
            self.slots.push(None);
        }
        let head = Head { ts, position: run.position_of(late), run: id, slot };
        self.lanes.entry((run.place, run.lane)).or_default().heads.push(Reverse(head));
        self.slots[slot as usize] = Some(Active { id, run: Arc::new(run), next: late });
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
            };
            self.losses.enter(entry, count as u64);
        }
    }

    /// Notes what the recorder did; passes on what that completes.
    pub fn mark(&mut self, mark: Mark, out: &mut impl Emit) {
        match mark {
            Mark::Flushed => self.flushes += 1,
            Mark::ReadBuffers if self.windowed && self.flushes >= 2 => {
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
        let mut lanes = std::mem::take(&mut self.lanes);
        while let Some((lane, bound)) = earliest(&mut lanes) {
            if !self.drain(lane, bound, end, out) {
                break;
            }
        }
        lanes.retain(|_, lane| !lane.heads.is_empty());
        self.lanes = lanes;
    }

    /// Passes on one lane's events up to `bound`; false when the window ends there.
    fn drain(&mut self, lane: &mut Lane, bound: i64, end: RunId, out: &mut impl Emit) -> bool {
        while let Some(&Reverse(head)) = lane.heads.peek() {
            if head.ts > bound {
                return true;
            }
            if head.run >= end {
                return false;
            }
            lane.heads.pop();
            let next_head = lane.heads.peek().map(|Reverse(head)| *head);
            let Some(active) = &mut self.slots[head.slot as usize] else { continue };
            debug_assert_eq!(active.id, head.run);
            // Stay in this run for as long as it holds the lane's earliest event.
            let mut current = head;
            let following = loop {
                out.emit(current.ts, &active.run, active.next);
                self.passed_on = current.ts;
                active.next += 1;
                let Some(&ts) = active.run.timestamps.get(active.next) else { break None };
                current = Head { ts, position: active.run.position_of(active.next), ..current };
                if ts > bound || next_head.is_some_and(|next| next < current) {
                    break Some(current);
                }
            };
            match following {
                Some(head) => lane.heads.push(Reverse(head)),
                None => {
                    self.slots[head.slot as usize] = None;
                    self.free.push(head.slot);
                }
            }
        }
        true
    }
}

/// The lane whose next event is earliest, and how far it may go before another's turn.
fn earliest(lanes: &mut BTreeMap<(PlaceId, u32), Lane>) -> Option<(&mut Lane, i64)> {
    let mut first: Option<(i64, (PlaceId, u32))> = None;
    let mut second: Option<(i64, (PlaceId, u32))> = None;
    for (&key, lane) in lanes.iter() {
        let Some(&Reverse(head)) = lane.heads.peek() else { continue };
        let this = Some((head.ts, key));
        if first.is_none() || this < first {
            second = first;
            first = this;
        } else if second.is_none() || this < second {
            second = this;
        }
    }
    let (_, key) = first?;
    // At one time the lower lane goes first.
    let bound = second.map_or(i64::MAX, |(ts, next)| if key < next { ts } else { ts - 1 });
    lanes.get_mut(&key).map(|lane| (lane, bound))
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
        let mut sorter = Sorter::new(windowed);
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
}
