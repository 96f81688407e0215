//! Interleaves the events of several files in the order of trace time.
//!
//! Each file is sorted on its own, so that a merge keeps and drops what each file alone would.
//! Settled events of one file wait until every other file is settled up to their time.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::ready_events::{FileTime, ReadyEvents, ReadySink};
use crate::sort::{SortMemory, Sorter, Stopped};
use crate::{Emit, RecorderEvent, Run};

/// Sorts each file and interleaves what comes out.
pub(crate) struct Interleaver {
    sorters: Vec<Sorter>,
    ready_events: ReadyEvents,
    /// Files that may have more to say, by the time up to which each has.
    unfinished: BTreeSet<FileTime>,
    memory: SortMemory,
    /// The bytes that all events in memory take, and the most they ever took.
    held: u64,
    peak: u64,
}

impl Interleaver {
    /// For files, each sorted by windows that the recorder closes, or in full.
    pub(crate) fn new(windowed: &[bool], memory: SortMemory) -> Self {
        Self {
            sorters: windowed.iter().map(|&windowed| Sorter::new(windowed)).collect(),
            ready_events: ReadyEvents::new(windowed.len()),
            unfinished: (0..windowed.len()).map(|file| (i64::MIN, file)).collect(),
            memory,
            held: 0,
            peak: 0,
        }
    }

    /// Adds a run of a file.
    ///
    /// # Errors
    /// When the store of what memory has no room for fails.
    pub(crate) fn push(&mut self, file: usize, run: Run) -> Result<(), Stopped> {
        self.change(file, |this| {
            this.sorters[file].push(run);
            Ok(())
        })?;
        match self.held > self.memory.most() {
            true => self.evict(),
            false => Ok(()),
        }
    }

    /// Handles an event of the recorder of a file.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn handle_event(
        &mut self,
        file: usize,
        event: RecorderEvent,
        out: &mut impl Emit,
    ) -> Result<(), Stopped> {
        let alone = self.sorters.len() == 1;
        let before = self.sorters[file].flushed_until();
        self.change(file, |Self { sorters, ready_events, memory, .. }| match alone {
            true => sorters[file].handle_event_into(event, memory, out),
            false => sorters[file].handle_event_into(
                event,
                memory,
                &mut ReadySink { ready_events, file, memory },
            ),
        })?;
        let after = self.sorters[file].flushed_until();
        if after != before {
            self.unfinished.remove(&(before, file));
            self.unfinished.insert((after, file));
        }
        Ok(())
    }

    /// Notes that a file has no more events.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn end(&mut self, file: usize, out: &mut impl Emit) -> Result<(), Stopped> {
        let alone = self.sorters.len() == 1;
        self.unfinished.remove(&(self.sorters[file].flushed_until(), file));
        self.change(file, |Self { sorters, ready_events, memory, .. }| match alone {
            true => sorters[file].finish_into(memory, out),
            false => {
                sorters[file].finish_into(memory, &mut ReadySink { ready_events, file, memory })
            }
        })
    }

    /// Emits the events that no later event can precede. Returns the file that blocks further
    /// events until it is read on, or `None` once all events are emitted.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn flush(&mut self, out: &mut impl Emit) -> Result<Option<usize>, Stopped> {
        // The next events of a file are not older than its last ones.
        let bound = self.unfinished.first().copied();
        let before = self.ready_events.held();
        self.ready_events.flush(bound, &self.memory, out)?;
        self.held = self.held + self.ready_events.held() - before;
        self.peak = self.peak.max(self.held);
        Ok(bound.map(|(_, file)| file))
    }

    /// Runs `work`, which changes the memory that a file or the ready events use.
    fn change(
        &mut self,
        file: usize,
        work: impl FnOnce(&mut Self) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let held = |this: &Self| this.sorters[file].held() + this.ready_events.held();
        let before = held(self);
        work(self)?;
        self.held = self.held + held(self) - before;
        self.peak = self.peak.max(self.held);
        Ok(())
    }

    /// Writes the largest holders to the store until half of the memory is free.
    fn evict(&mut self) -> Result<(), Stopped> {
        let mut held: Vec<_> = self.sorters.iter().map(Sorter::held).enumerate().collect();
        held.sort_by_key(|&(_, held)| Reverse(held));
        // A run that its sorter has no more would stay in memory, and count nowhere, for as long as
        // some of its events are settled.
        match self.ready_events.held() >= self.memory.most() / 4 {
            true => self.ready_events.spill(&self.memory)?,
            false => self.ready_events.spill_parts(&self.memory)?,
        }
        let mut left = self.ready_events.held() + held.iter().map(|(_, held)| held).sum::<u64>();
        for (file, held) in held {
            if left <= self.memory.most() / 2 {
                break;
            }
            self.sorters[file].spill(&self.memory)?;
            left -= held;
        }
        self.held = left;
        Ok(())
    }

    /// The most bytes of events that waited in memory.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// The room for what waits.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> &SortMemory {
        &self.memory
    }

    /// The sorter of each file.
    pub(crate) fn sorters(&self) -> impl Iterator<Item = &Sorter> {
        self.sorters.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use super::*;
    use crate::{Payload, RunKind};

    #[derive(Default)]
    struct Out(Vec<(i64, u32)>);

    impl Emit for Out {
        fn emit(&mut self, ts: i64, run: &Arc<Run>, _: usize) -> ControlFlow<()> {
            self.0.push((ts, run.position));
            ControlFlow::Continue(())
        }
    }

    fn run(position: u32, timestamps: &[i64]) -> Run {
        Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            cpu: Some(0),
            source: position / 10,
            generation: 0,
            position,
            addr: 0,
            timestamps: timestamps.to_vec(),
            payload: Payload::Bundle { addr: 0, ranges: vec![(0, 0); timestamps.len()] },
        }
    }

    fn flush(interleaver: &mut Interleaver, out: &mut Out) -> Option<usize> {
        interleaver.flush(out).expect("nothing is stored")
    }

    #[test]
    fn files_interleave_once_each_has_said_what_it_has() {
        let mut interleaver = Interleaver::new(&[false; 2], SortMemory::in_memory());
        let mut out = Out::default();
        assert_eq!(flush(&mut interleaver, &mut out), Some(0));
        interleaver.push(0, run(0, &[1, 5, 9])).expect("nothing is stored");
        interleaver.end(0, &mut out).expect("nothing is stored");
        assert_eq!(flush(&mut interleaver, &mut out), Some(1));
        assert_eq!(out.0, [], "the other file may begin earlier");
        interleaver.push(1, run(10, &[2, 5])).expect("nothing is stored");
        interleaver.push(1, run(11, &[7])).expect("nothing is stored");
        interleaver.end(1, &mut out).expect("nothing is stored");
        assert_eq!(flush(&mut interleaver, &mut out), None);
        assert_eq!(out.0, [(1, 0), (2, 10), (5, 0), (5, 10), (7, 11), (9, 0)]);
    }

    #[test]
    fn a_window_of_one_file_does_not_close_over_another() {
        let mut interleaver = Interleaver::new(&[true; 2], SortMemory::in_memory());
        let mut out = Out::default();
        let close = [RecorderEvent::Flushed, RecorderEvent::Flushed, RecorderEvent::ReadBuffers];
        interleaver.push(0, run(0, &[10, 20])).expect("nothing is stored");
        for &event in close.iter().chain(&close) {
            interleaver.handle_event(0, event, &mut out).expect("nothing is stored");
        }
        assert_eq!(flush(&mut interleaver, &mut out), Some(1));
        interleaver.push(1, run(10, &[3, 15])).expect("nothing is stored");
        interleaver.end(1, &mut out).expect("nothing is stored");
        assert_eq!(flush(&mut interleaver, &mut out), Some(0), "it may have more at 15");
        assert_eq!(out.0, [(3, 10), (10, 0), (15, 10), (20, 0)]);
        interleaver.push(0, run(1, &[18, 30])).expect("nothing is stored");
        interleaver.end(0, &mut out).expect("nothing is stored");
        assert_eq!(flush(&mut interleaver, &mut out), None);
        assert_eq!(out.0.last(), Some(&(30, 1)));
        let late = interleaver.sorters().map(|it| it.losses().get(crate::Loss::OutOfOrder));
        assert_eq!(late.sum::<u64>(), 1, "what came after 20 was passed on");
    }
}
