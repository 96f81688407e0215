//! Merges runs into one stream in the order of trace time.
//!
//! The order is that of (time, lane, packet, run). By default a window closes whenever the recorder
//! has read its buffers after two flushes: whatever was written before the read before that is then
//! complete, and is emitted. Events older than what was emitted are dropped and counted. Without
//! these events of the recorder, and in a full sort, nothing is emitted before the end.
//!
//! Events that exceed the memory are written to a store, as segments of events in order, and take
//! part in the merge block by block. So the order, and what is dropped, never depend on the memory.

mod lane;
mod segment;
mod sort_memory;
mod stored_run;
mod strings;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

pub(crate) use lane::Head;
use lane::{Lane, LaneQueue, SEGMENTS};
use segment::Segment;
pub(crate) use segment::Writer;
pub use sort_memory::{RunStore, SortMemory};

use crate::loss::{LossBook, LossEntry};
use crate::shared::SharedStrings;
use crate::{Loss, RecorderEvent, Run, RunId, SourceId};

/// Takes events in order. `index` is the event's index in the run.
pub trait Emit {
    /// Takes one event. Returns whether more events are wanted.
    fn emit(&mut self, ts: i64, run: &Arc<Run>, index: usize) -> ControlFlow<()>;
}

/// The reason for a merge that ends early. The remaining events cannot be used.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The store fails.
    Store(io::Error),
    /// No more events are wanted.
    Unwanted,
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Store(error)
    }
}

impl Stopped {
    /// Turns `Unwanted` into a success.
    pub(crate) fn unless_failed<T: Default>(outcome: Result<T, Self>) -> io::Result<T> {
        match outcome {
            Ok(value) => Ok(value),
            Err(Self::Unwanted) => Ok(T::default()),
            Err(Self::Store(error)) => Err(error),
        }
    }
}

/// Takes events in order, with where they stand in it.
pub(crate) trait Sink {
    /// Takes one event.
    fn take(&mut self, head: Head, run: &Arc<Run>, index: usize) -> Result<(), Stopped>;
}

impl<E: Emit> Sink for E {
    #[inline]
    fn take(&mut self, head: Head, run: &Arc<Run>, index: usize) -> Result<(), Stopped> {
        match self.emit(head.ts, run, index) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stopped::Unwanted),
        }
    }
}

/// Lanes are ordered by these: where it was recorded, and the lane there.
type LaneKey = (SourceId, Option<u32>);

/// The number of segments of a level that are merged into one of the next. With more, each block
/// read at a time would be a small part of the memory; with fewer, events are written more often.
const STRETCHES_OF_LEVEL: usize = 16;

struct Active {
    id: RunId,
    run: Arc<Run>,
    next: usize,
    /// Its size in bytes, without strings that runs share.
    bytes: u64,
    /// The rank of each event, where that is not the run's.
    ranks: Vec<u64>,
}

impl Active {
    #[inline]
    fn rank(&self) -> u64 {
        match self.ranks.get(self.next) {
            Some(&rank) => rank,
            None => self.run.rank_of(self.next),
        }
    }
}

/// The reason why merging a lane stopped.
enum Stop {
    /// It is the turn of another lane.
    Turn,
    /// The window ends.
    Window,
    /// The next event is the first of a block that is to be read.
    Block(u32),
}

/// Merges the runs of one file.
pub struct Sorter {
    /// Whether windows close; otherwise it is a full sort.
    windowed: bool,
    /// Whether events come back from the store with ranks of their own, in one lane.
    ranked: bool,
    lanes: BTreeMap<LaneKey, Lane>,
    slots: Vec<Option<Active>>,
    free: Vec<u32>,
    /// The runs in the store.
    segments: Vec<Option<Segment>>,
    next_run: RunId,
    flushes: u32,
    window_end: RunId,
    flushed_until: i64,
    /// The latest time at which a window closed: that of the first event after it.
    closed_at: i64,
    has_nearly_late: bool,
    /// Size of the runs in memory, in bytes.
    held: u64,
    /// The strings of these.
    strings: SharedStrings,
    losses: LossBook,
}

impl Sorter {
    /// A sorter by windows that the recorder closes, or in full.
    pub fn new(windowed: bool) -> Self {
        Self {
            windowed,
            ranked: false,
            lanes: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            segments: Vec::new(),
            next_run: 0,
            flushes: 0,
            window_end: 0,
            flushed_until: i64::MIN,
            closed_at: i64::MIN,
            has_nearly_late: false,
            held: 0,
            strings: SharedStrings::default(),
            losses: LossBook::default(),
        }
    }

    /// A sorter of segments with events that have ranks of their own.
    pub(crate) fn ranked() -> Self {
        Self { ranked: true, ..Self::new(false) }
    }

    /// The bytes of runs in memory that wait to be emitted.
    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    /// The latest time that was emitted, in ns.
    pub(crate) fn flushed_until(&self) -> i64 {
        self.flushed_until
    }

    /// The late events.
    pub fn losses(&self) -> &LossBook {
        &self.losses
    }

    /// Whether an event came after its window was closed, but was not older than what was emitted.
    /// It would have been dropped if there were one more event between.
    pub(crate) fn has_nearly_late(&self) -> bool {
        self.has_nearly_late
    }

    /// Adds a run; events older than what was emitted are dropped and counted.
    pub fn push(&mut self, run: Run) {
        let late = run.timestamps.partition_point(|&ts| ts < self.flushed_until);
        self.lose(&run, late);
        let first = run.timestamps.get(late);
        self.has_nearly_late |= first.is_some_and(|&ts| ts < self.closed_at);
        let id = self.next_run;
        self.next_run += 1;
        self.add(id, run, late, Vec::new());
    }

    /// Adds the events of a run from one on.
    fn add(&mut self, id: RunId, run: Run, next: usize, ranks: Vec<u64>) {
        let Some(&ts) = run.timestamps.get(next) else { return };
        let bytes = run.bytes() + (size_of::<Active>() + ranks.len() * size_of::<u64>()) as u64;
        self.held += bytes + self.strings.add(&run);
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        if slot as usize == self.slots.len() {
            self.slots.push(None);
        }
        let lane = if self.ranked { (0, None) } else { (run.source, run.cpu) };
        let active = Active { id, run: Arc::new(run), next, bytes, ranks };
        let head = Head { ts, rank: active.rank(), run: id, slot };
        self.lanes.entry(lane).or_default().add(head);
        self.slots[slot as usize] = Some(active);
    }

    /// Counts the first events of a run, which are too late.
    fn lose(&mut self, run: &Run, count: usize) {
        if count > 0 {
            let entry = LossEntry {
                timestamp: run.timestamps.first().copied(),
                ..LossEntry::at(Loss::OutOfOrder, run.source, run.addr_of(0), run.position_of(0))
            };
            self.losses.enter(entry, count as u64);
        }
    }

    /// Notes what the recorder did; emits what that completes.
    ///
    /// # Errors
    /// When the store fails.
    pub fn handle_event(
        &mut self,
        event: RecorderEvent,
        memory: &SortMemory,
        out: &mut impl Emit,
    ) -> io::Result<()> {
        Stopped::unless_failed(self.handle_event_into(event, memory, out))
    }

    /// The same into any sink.
    pub(crate) fn handle_event_into(
        &mut self,
        event: RecorderEvent,
        memory: &SortMemory,
        out: &mut impl Sink,
    ) -> Result<(), Stopped> {
        match event {
            RecorderEvent::Flushed => self.flushes += 1,
            RecorderEvent::ReadBuffers if self.windowed && self.flushes >= 2 => {
                self.merge(self.window_end, memory, out)?;
                self.window_end = self.next_run;
                self.flushes = 0;
            }
            RecorderEvent::ReadBuffers => {}
        }
        Ok(())
    }

    /// Emits all that is left.
    ///
    /// # Errors
    /// When the store fails.
    pub fn finish(&mut self, memory: &SortMemory, out: &mut impl Emit) -> io::Result<()> {
        Stopped::unless_failed(self.finish_into(memory, out))
    }

    /// The same into any sink.
    pub(crate) fn finish_into(
        &mut self,
        memory: &SortMemory,
        out: &mut impl Sink,
    ) -> Result<(), Stopped> {
        self.merge(RunId::MAX, memory, out)
    }

    /// Passes events on in order until the next one is of a run not older than `end`.
    fn merge(
        &mut self,
        end: RunId,
        memory: &SortMemory,
        out: &mut impl Sink,
    ) -> Result<(), Stopped> {
        while let Some(segment) = self.merge_held(end, out)? {
            self.read_block(segment, memory)?;
        }
        Ok(())
    }

    /// The same until the next event is the first of a block: returns its segment.
    fn merge_held(&mut self, end: RunId, out: &mut impl Sink) -> Result<Option<u32>, Stopped> {
        let mut lanes: Vec<_> = std::mem::take(&mut self.lanes).into_iter().collect();
        let mut queue = LaneQueue::of(lanes.iter().map(|(_, lane)| lane));
        let mut wanted = None;
        while let Some((lane, bound)) = queue.next() {
            match self.drain(&mut lanes[lane].1, bound, end, out)? {
                Stop::Turn => queue.set(lanes[lane].1.first()),
                Stop::Window => break,
                Stop::Block(segment) => {
                    wanted = Some(segment);
                    break;
                }
            }
        }
        lanes.retain(|(_, lane)| lane.first().is_some());
        self.lanes = lanes.into_iter().collect();
        Ok(wanted)
    }

    /// Emits one lane's events up to `bound`.
    fn drain(
        &mut self,
        lane: &mut Lane,
        bound: i64,
        end: RunId,
        out: &mut impl Sink,
    ) -> Result<Stop, Stopped> {
        while let Some(head) = lane.first() {
            if head.ts > bound {
                return Ok(Stop::Turn);
            }
            if head.run >= end {
                self.closed_at = self.closed_at.max(head.ts);
                return Ok(Stop::Window);
            }
            if head.slot >= SEGMENTS {
                return Ok(Stop::Block(head.slot - SEGMENTS));
            }
            lane.take_first();
            let next_head = lane.first();
            let Some(active) = &mut self.slots[head.slot as usize] else { continue };
            debug_assert_eq!(active.id, head.run);
            // Stay in this run for as long as it holds the lane's earliest event.
            let mut current = head;
            let following = loop {
                out.take(current, &active.run, active.next)?;
                self.flushed_until = current.ts;
                active.next += 1;
                let Some(&ts) = active.run.timestamps.get(active.next) else { break None };
                current = Head { ts, rank: active.rank(), ..current };
                if ts > bound || next_head.is_some_and(|next| next < current) {
                    break Some(current);
                }
            };
            match following {
                Some(head) => lane.put_back(head),
                None => {
                    let bytes = active.bytes + self.strings.remove(&active.run);
                    self.held = self.held.saturating_sub(bytes);
                    self.slots[head.slot as usize] = None;
                    self.free.push(head.slot);
                }
            }
        }
        Ok(Stop::Turn)
    }
}

/// The runs in the store.
impl Sorter {
    /// Evicts all runs from memory to the store. Emitted events are not affected.
    pub(crate) fn spill(&mut self, memory: &SortMemory) -> Result<(), Stopped> {
        self.hide_segments();
        let flushed_until = self.flushed_until;
        let mut writer = Writer::new(memory, self.ranked);
        self.merge_held(RunId::MAX, &mut writer)?;
        self.flushed_until = flushed_until;
        self.slots = Vec::new();
        self.free = Vec::new();
        let segment = writer.finish(0)?;
        self.add_segment(segment, memory)
    }

    /// Adds what was written, if anything was.
    pub(crate) fn add_segment(
        &mut self,
        segment: Option<Segment>,
        memory: &SortMemory,
    ) -> Result<(), Stopped> {
        self.hide_segments();
        self.keep(segment);
        let mut level = 0;
        while self.segments.iter().flatten().any(|segment| segment.level >= level) {
            self.merge_level(level, memory)?;
            level += 1;
        }
        self.show_segments();
        Ok(())
    }

    /// Merges the segments of a level, where there are many.
    fn merge_level(&mut self, level: u32, memory: &SortMemory) -> Result<(), Stopped> {
        let of_level = |segment: &&Segment| segment.level == level;
        if self.segments.iter().flatten().filter(of_level).count() < STRETCHES_OF_LEVEL {
            return Ok(());
        }
        let mut merged = Self { ranked: self.ranked, ..Self::new(false) };
        for segment in &mut self.segments {
            merged.keep(segment.take_if(|segment| segment.level == level));
        }
        merged.show_segments();
        let mut writer = Writer::new(memory, self.ranked);
        merged.merge(RunId::MAX, memory, &mut writer)?;
        let segment = writer.finish(level + 1)?;
        self.keep(segment);
        Ok(())
    }

    fn keep(&mut self, segment: Option<Segment>) {
        if segment.is_none() {
            return;
        }
        match self.segments.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = segment,
            None => self.segments.push(segment),
        }
    }

    fn hide_segments(&mut self) {
        self.lanes.values_mut().for_each(Lane::drop_segments);
    }

    fn show_segments(&mut self) {
        for (slot, segment) in (SEGMENTS..).zip(&self.segments) {
            if let Some(Segment { key, .. }) = segment {
                self.lanes.entry(key.lane).or_default().add(key.head(slot));
            }
        }
    }

    /// Reads the next block of the segment that is due.
    fn read_block(&mut self, slot: u32, memory: &SortMemory) -> io::Result<()> {
        let Some(segment) = self.segments[slot as usize].take() else { return Ok(()) };
        if let Some(lane) = self.lanes.get_mut(&segment.key.lane) {
            debug_assert_eq!(lane.first().map(|head| head.slot), Some(SEGMENTS + slot));
            lane.take_first();
        }
        let (stored_runs, rest) = segment.read(memory)?;
        for stored_run in stored_runs {
            self.add(stored_run.id, stored_run.run, 0, stored_run.ranks);
        }
        match rest {
            Some(Segment { key, .. }) => {
                self.lanes.entry(key.lane).or_default().add(key.head(SEGMENTS + slot));
            }
            None => memory.release(),
        }
        self.segments[slot as usize] = rest;
        Ok(())
    }
}

/// A sorter of events that have ranks of their own.
impl Sorter {
    /// The timestamp and the rank of the first event.
    pub(crate) fn first(&self) -> Option<(i64, u64)> {
        let head = self.lanes.get(&(0, None))?.first()?;
        Some((head.ts, head.rank))
    }

    /// Passes events on up to a time and rank.
    pub(crate) fn merge_to(
        &mut self,
        (ts, rank): (i64, u64),
        memory: &SortMemory,
        out: &mut impl Sink,
    ) -> Result<(), Stopped> {
        // The first event at or after the end of the window is not emitted.
        let end = Head { ts, rank, run: RunId::MAX, slot: 0 };
        self.lanes.entry((0, None)).or_default().add(end);
        self.merge(RunId::MAX, memory, out)?;
        if let Some(lane) = self.lanes.get_mut(&(0, None)) {
            debug_assert!(lane.first() == Some(end));
            lane.take_first();
        }
        Ok(())
    }
}
