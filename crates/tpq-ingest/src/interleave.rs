//! Interleaves the events of several files in the order of trace time.
//!
//! Each file is sorted on its own, so that a merge keeps and drops what each file alone would.
//! What one file has settled waits until every other file has said what it has up to then.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{Emit, Mark, Run, Sorter};

/// Sorts each file and interleaves what comes out.
pub struct Interleaver {
    sources: Vec<Source>,
}

struct Source {
    sorter: Sorter,
    settled: Settled,
    ended: bool,
}

/// Events of one file in order, as stretches of runs.
#[derive(Default)]
struct Settled(VecDeque<Stretch>);

struct Stretch {
    run: Arc<Run>,
    next: usize,
    end: usize,
}

impl Stretch {
    fn ts(&self) -> i64 {
        self.run.timestamps[self.next]
    }
}

impl Emit for Settled {
    fn emit(&mut self, _: i64, run: &Arc<Run>, index: usize) {
        if let Some(last) = self.0.back_mut()
            && last.end == index
            && Arc::ptr_eq(&last.run, run)
        {
            last.end += 1;
            return;
        }
        self.0.push_back(Stretch { run: Arc::clone(run), next: index, end: index + 1 });
    }
}

impl Interleaver {
    /// For files, each sorted by windows of at most so many bytes, or in full.
    pub fn new(windows: &[Option<u64>]) -> Self {
        let source = |&window: &Option<u64>| Source {
            sorter: Sorter::new(window),
            settled: Settled::default(),
            ended: false,
        };
        Self { sources: windows.iter().map(source).collect() }
    }

    /// Adds a run of a file.
    pub fn push(&mut self, file: usize, run: Run) {
        self.sources[file].sorter.push(run);
    }

    /// Notes what the recorder of a file did.
    pub fn mark(&mut self, file: usize, mark: Mark, out: &mut impl Emit) {
        let alone = self.sources.len() == 1;
        let source = &mut self.sources[file];
        match alone {
            true => source.sorter.mark(mark, out),
            false => source.sorter.mark(mark, &mut source.settled),
        }
    }

    /// Passes on the oldest of what a file holds, where it is more than a window may hold.
    pub fn relieve(&mut self, file: usize, out: &mut impl Emit) {
        let alone = self.sources.len() == 1;
        let source = &mut self.sources[file];
        match alone {
            true => source.sorter.relieve(out),
            false => source.sorter.relieve(&mut source.settled),
        }
    }

    /// Notes that a file has no more events.
    pub fn end(&mut self, file: usize, out: &mut impl Emit) {
        let alone = self.sources.len() == 1;
        let source = &mut self.sources[file];
        source.ended = true;
        match alone {
            true => source.sorter.finish(out),
            false => source.sorter.finish(&mut source.settled),
        }
    }

    /// Passes on what is settled; gives the file that must say more before anything else can be,
    /// `None` once all is passed on.
    pub fn pass_on(&mut self, out: &mut impl Emit) -> Option<usize> {
        loop {
            let waiting = |source: &Source| source.settled.0.is_empty() && !source.ended;
            if let Some(file) = self.sources.iter().position(waiting) {
                return Some(file);
            }
            let mut heads: Vec<(i64, usize)> = Vec::with_capacity(self.sources.len());
            for (file, source) in self.sources.iter().enumerate() {
                heads.extend(source.settled.0.front().map(|stretch| (stretch.ts(), file)));
            }
            let &(_, first) = heads.iter().min()?;
            let next = heads.iter().filter(|&&(_, file)| file != first).min();
            // At one time the file that comes first goes first.
            let bound = next.map_or(i64::MAX, |&(ts, file)| if first < file { ts } else { ts - 1 });
            self.sources[first].settled.drain(bound, out);
        }
    }

    /// The sorter of each file.
    pub fn sorters(&self) -> impl Iterator<Item = &Sorter> {
        self.sources.iter().map(|source| &source.sorter)
    }
}

impl Settled {
    /// Passes on events up to `bound`.
    fn drain(&mut self, bound: i64, out: &mut impl Emit) {
        while let Some(stretch) = self.0.front_mut() {
            while stretch.next < stretch.end {
                let ts = stretch.ts();
                if ts > bound {
                    return;
                }
                out.emit(ts, &stretch.run, stretch.next);
                stretch.next += 1;
            }
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Payload, RunKind};

    #[derive(Default)]
    struct Out(Vec<(i64, u32)>);

    impl Emit for Out {
        fn emit(&mut self, ts: i64, run: &Arc<Run>, _: usize) {
            self.0.push((ts, run.position));
        }
    }

    fn run(position: u32, timestamps: &[i64]) -> Run {
        Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            lane: 1,
            place: position / 10,
            generation: 0,
            position,
            addr: 0,
            timestamps: timestamps.to_vec(),
            payload: Payload::Bundle { addr: 0, places: vec![(0, 0); timestamps.len()] },
        }
    }

    #[test]
    fn files_interleave_once_each_has_said_what_it_has() {
        let mut interleaver = Interleaver::new(&[None; 2]);
        let mut out = Out::default();
        assert_eq!(interleaver.pass_on(&mut out), Some(0));
        interleaver.push(0, run(0, &[1, 5, 9]));
        interleaver.end(0, &mut out);
        assert_eq!(interleaver.pass_on(&mut out), Some(1));
        assert_eq!(out.0, [], "the other file may begin earlier");
        interleaver.push(1, run(10, &[2, 5]));
        interleaver.push(1, run(11, &[7]));
        interleaver.end(1, &mut out);
        assert_eq!(interleaver.pass_on(&mut out), None);
        assert_eq!(out.0, [(1, 0), (2, 10), (5, 0), (5, 10), (7, 11), (9, 0)]);
    }

    #[test]
    fn a_window_of_one_file_does_not_close_over_another() {
        let mut interleaver = Interleaver::new(&[Some(u64::MAX); 2]);
        let mut out = Out::default();
        let close = [Mark::Flushed, Mark::Flushed, Mark::ReadBuffers];
        interleaver.push(0, run(0, &[10, 20]));
        close.iter().chain(&close).for_each(|&mark| interleaver.mark(0, mark, &mut out));
        assert_eq!(interleaver.pass_on(&mut out), Some(1));
        interleaver.push(1, run(10, &[3, 15]));
        interleaver.end(1, &mut out);
        assert_eq!(interleaver.pass_on(&mut out), Some(0), "it may have more at 15");
        assert_eq!(out.0, [(3, 10), (10, 0), (15, 10), (20, 0)]);
        interleaver.push(0, run(1, &[18, 30]));
        interleaver.end(0, &mut out);
        assert_eq!(interleaver.pass_on(&mut out), None);
        assert_eq!(out.0.last(), Some(&(30, 1)));
        let late = interleaver.sorters().map(|it| it.losses().get(crate::Loss::OutOfOrder));
        assert_eq!(late.sum::<u64>(), 1, "what came after 20 was passed on");
    }
}
