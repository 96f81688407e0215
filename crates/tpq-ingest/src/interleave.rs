//! Interleaves the events of several files in the order of trace time.
//!
//! Each file is sorted on its own, so that a merge keeps and drops what each file alone would.
//! What one file has settled waits until every other file has said what it has up to then.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::settled::{FileTime, Settled, Settling};
use crate::sort::{SortRoom, Sorter, Stopped};
use crate::{Emit, Mark, Run};

/// Sorts each file and interleaves what comes out.
pub(crate) struct Interleaver {
    sorters: Vec<Sorter>,
    settled: Settled,
    /// Files that may have more to say, by the time up to which each has.
    unfinished: BTreeSet<FileTime>,
    room: SortRoom,
    /// The bytes that all events in memory take, and the most they ever took.
    held: u64,
    peak: u64,
}

impl Interleaver {
    /// For files, each sorted by windows that the recorder closes, or in full.
    pub(crate) fn new(windowed: &[bool], room: SortRoom) -> Self {
        Self {
            sorters: windowed.iter().map(|&windowed| Sorter::new(windowed)).collect(),
            settled: Settled::new(windowed.len()),
            unfinished: (0..windowed.len()).map(|file| (i64::MIN, file)).collect(),
            room,
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
        match self.held > self.room.most() {
            true => self.relieve(),
            false => Ok(()),
        }
    }

    /// Notes what the recorder of a file did.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn mark(
        &mut self,
        file: usize,
        mark: Mark,
        out: &mut impl Emit,
    ) -> Result<(), Stopped> {
        let alone = self.sorters.len() == 1;
        let before = self.sorters[file].passed_on();
        self.change(file, |Self { sorters, settled, room, .. }| match alone {
            true => sorters[file].mark_into(mark, room, out),
            false => sorters[file].mark_into(mark, room, &mut Settling { settled, file, room }),
        })?;
        let after = self.sorters[file].passed_on();
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
        self.unfinished.remove(&(self.sorters[file].passed_on(), file));
        self.change(file, |Self { sorters, settled, room, .. }| match alone {
            true => sorters[file].finish_into(room, out),
            false => sorters[file].finish_into(room, &mut Settling { settled, file, room }),
        })
    }

    /// Passes on what is settled; gives the file that must say more before anything else can be,
    /// `None` once all is passed on.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn pass_on(&mut self, out: &mut impl Emit) -> Result<Option<usize>, Stopped> {
        // What a file says next is not older than what it said last.
        let bound = self.unfinished.first().copied();
        let before = self.settled.held();
        self.settled.pass_on(bound, &self.room, out)?;
        self.held = self.held + self.settled.held() - before;
        self.peak = self.peak.max(self.held);
        Ok(bound.map(|(_, file)| file))
    }

    /// Does something that changes what a file or what is settled holds.
    fn change(
        &mut self,
        file: usize,
        work: impl FnOnce(&mut Self) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let held = |this: &Self| this.sorters[file].held() + this.settled.held();
        let before = held(self);
        work(self)?;
        self.held = self.held + held(self) - before;
        self.peak = self.peak.max(self.held);
        Ok(())
    }

    /// Writes to the store what takes the most, until half of the room is free.
    fn relieve(&mut self) -> Result<(), Stopped> {
        let mut held: Vec<_> = self.sorters.iter().map(Sorter::held).enumerate().collect();
        held.sort_by_key(|&(_, held)| Reverse(held));
        // A run that its sorter has no more would stay in memory, and count nowhere, for as long as
        // some of its events are settled.
        match self.settled.held() >= self.room.most() / 4 {
            true => self.settled.spill(&self.room)?,
            false => self.settled.spill_parts(&self.room)?,
        }
        let mut left = self.settled.held() + held.iter().map(|(_, held)| held).sum::<u64>();
        for (file, held) in held {
            if left <= self.room.most() / 2 {
                break;
            }
            self.sorters[file].spill(&self.room)?;
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
    pub(crate) fn room(&self) -> &SortRoom {
        &self.room
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
            lane: 1,
            source: position / 10,
            generation: 0,
            position,
            addr: 0,
            timestamps: timestamps.to_vec(),
            payload: Payload::Bundle { addr: 0, ranges: vec![(0, 0); timestamps.len()] },
        }
    }

    fn pass_on(interleaver: &mut Interleaver, out: &mut Out) -> Option<usize> {
        interleaver.pass_on(out).expect("nothing is stored")
    }

    #[test]
    fn files_interleave_once_each_has_said_what_it_has() {
        let mut interleaver = Interleaver::new(&[false; 2], SortRoom::in_memory());
        let mut out = Out::default();
        assert_eq!(pass_on(&mut interleaver, &mut out), Some(0));
        interleaver.push(0, run(0, &[1, 5, 9])).expect("nothing is stored");
        interleaver.end(0, &mut out).expect("nothing is stored");
        assert_eq!(pass_on(&mut interleaver, &mut out), Some(1));
        assert_eq!(out.0, [], "the other file may begin earlier");
        interleaver.push(1, run(10, &[2, 5])).expect("nothing is stored");
        interleaver.push(1, run(11, &[7])).expect("nothing is stored");
        interleaver.end(1, &mut out).expect("nothing is stored");
        assert_eq!(pass_on(&mut interleaver, &mut out), None);
        assert_eq!(out.0, [(1, 0), (2, 10), (5, 0), (5, 10), (7, 11), (9, 0)]);
    }

    #[test]
    fn a_window_of_one_file_does_not_close_over_another() {
        let mut interleaver = Interleaver::new(&[true; 2], SortRoom::in_memory());
        let mut out = Out::default();
        let close = [Mark::Flushed, Mark::Flushed, Mark::ReadBuffers];
        interleaver.push(0, run(0, &[10, 20])).expect("nothing is stored");
        for &mark in close.iter().chain(&close) {
            interleaver.mark(0, mark, &mut out).expect("nothing is stored");
        }
        assert_eq!(pass_on(&mut interleaver, &mut out), Some(1));
        interleaver.push(1, run(10, &[3, 15])).expect("nothing is stored");
        interleaver.end(1, &mut out).expect("nothing is stored");
        assert_eq!(pass_on(&mut interleaver, &mut out), Some(0), "it may have more at 15");
        assert_eq!(out.0, [(3, 10), (10, 0), (15, 10), (20, 0)]);
        interleaver.push(0, run(1, &[18, 30])).expect("nothing is stored");
        interleaver.end(0, &mut out).expect("nothing is stored");
        assert_eq!(pass_on(&mut interleaver, &mut out), None);
        assert_eq!(out.0.last(), Some(&(30, 1)));
        let late = interleaver.sorters().map(|it| it.losses().get(crate::Loss::OutOfOrder));
        assert_eq!(late.sum::<u64>(), 1, "what came after 20 was passed on");
    }
}
