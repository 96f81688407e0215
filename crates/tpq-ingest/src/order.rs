//! Puts the batches of all files into one order, as steps that can be taken on another thread.
//!
//! Descriptors take effect at their position in the file; events are decoded in the order of time.
//! So a step has the items that take effect at once, and the events that follow them.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::interleave::Interleaver;
use crate::shared::SharedStrings;
use crate::sort::Stopped;
use crate::trace_bytes::fetch;
use crate::{
    Batch, Emit, Immediate, LossBook, Payload, RecorderEvent, Run, SortMemory, Sorter, Span,
    TraceBytes,
};

/// Events in a step. Enough that handing one over costs nothing, few enough to stay in the cache.
const STEP_EVENTS: usize = 1 << 14;
/// Bytes of strings that runs of a step share. A recorder's bundles have a few strings each, so
/// that only what none of them writes makes a step shorter.
const STEP_STRINGS: u64 = 1 << 20;
/// A power of two: how many runs of a step are found again by their address.
const NEAR: usize = 256;

/// Distance of the prefetch, in events: decoding them takes as long as one access to memory.
const PREFETCH_DISTANCE: usize = 6;

/// The next step.
#[derive(Debug, Default)]
pub struct Step {
    /// Items that take effect first, in the order of the file.
    pub immediate: Vec<Immediate>,
    /// The file of these items.
    pub file: u32,
    /// The events after them.
    pub events: Events,
}

/// Events in the order of trace time.
#[derive(Debug, Default)]
pub struct Events {
    runs: Vec<Arc<Run>>,
    /// Of each event: its timestamp, the index of its run, and its index in the run.
    order: Vec<(i64, u32, u32)>,
}

impl Events {
    /// The first string of each run of events that are numbers and refer to strings.
    pub fn strings(&self) -> impl Iterator<Item = Span> {
        self.runs.iter().filter_map(|run| match &run.payload {
            Payload::Words { strings, .. } => strings.first().copied(),
            _ => None,
        })
    }

    /// Has the processor fetch what is needed soon, when the event of a number is next.
    #[inline]
    pub fn fetch_ahead(&self, next: usize, bytes: &TraceBytes<'_>) {
        self.fetch_messages_ahead(next);
        if let Some((Payload::Messages(messages), index)) = self.payload(next + PREFETCH_DISTANCE) {
            bytes.fetch(messages[index].span());
        }
    }

    /// The same where the bytes of the events are not needed.
    #[inline]
    pub fn fetch_messages_ahead(&self, next: usize) {
        if let Some((Payload::Messages(messages), index)) =
            self.payload(next + 2 * PREFETCH_DISTANCE)
        {
            fetch(&messages[index..]);
        }
    }

    /// The payload of an event's run, and its index there.
    #[inline]
    fn payload(&self, at: usize) -> Option<(&Payload, usize)> {
        let &(_, run, index) = self.order.get(at)?;
        Some((&self.runs[run as usize].payload, index as usize))
    }

    /// Each event: its timestamp, and its index in a run.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Arc<Run>, usize)> {
        self.order.iter().map(|&(ts, run, index)| (ts, &self.runs[run as usize], index as usize))
    }
}

/// Sorts files and interleaves them. A function receives the result, a step at a time, and returns
/// whether to continue; after `false` nothing more is sorted or read back.
pub struct EventOrder {
    interleaver: Interleaver,
    open: Open,
}

/// The step under way.
struct Open {
    step: Step,
    /// By their addresses, the runs that events were lately of.
    near: Vec<(usize, u32)>,
    /// The strings that its runs share, and their bytes.
    strings: SharedStrings,
    string_bytes: u64,
    /// Whether no more steps are wanted.
    unwanted: bool,
}

impl Default for Open {
    fn default() -> Self {
        Self {
            step: Step::default(),
            near: vec![(0, 0); NEAR],
            strings: SharedStrings::default(),
            string_bytes: 0,
            unwanted: false,
        }
    }
}

impl Open {
    fn close(&mut self, each: &mut impl FnMut(Step) -> bool) {
        let step = std::mem::take(&mut self.step);
        if !self.unwanted && (!step.immediate.is_empty() || !step.events.order.is_empty()) {
            self.unwanted = !each(step);
        }
        self.near.fill((0, 0));
        self.strings.clear();
        self.string_bytes = 0;
    }

    fn flow(&self) -> ControlFlow<()> {
        match self.unwanted {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

struct Out<'a, F> {
    open: &'a mut Open,
    each: F,
}

impl<F: FnMut(Step) -> bool> Emit for Out<'_, F> {
    #[inline]
    fn emit(&mut self, ts: i64, run: &Arc<Run>, index: usize) -> ControlFlow<()> {
        // A run of the step stays where it is for as long as the step holds it.
        let address = Arc::as_ptr(run).addr();
        let near = &mut self.open.near[address / 64 % NEAR];
        let events = &mut self.open.step.events;
        let mut is_full = false;
        if near.0 != address {
            *near = (address, events.runs.len() as u32);
            events.runs.push(Arc::clone(run));
            self.open.string_bytes += self.open.strings.add(run);
            is_full = self.open.string_bytes >= STEP_STRINGS;
        }
        events.order.push((ts, near.1, index as u32));
        if is_full || events.order.len() == STEP_EVENTS {
            self.open.close(&mut self.each);
            return self.open.flow();
        }
        ControlFlow::Continue(())
    }
}

impl EventOrder {
    /// For files that have events, each sorted by windows that the recorder closes, or in full.
    pub fn new(windowed: &[bool], memory: SortMemory) -> Self {
        Self { interleaver: Interleaver::new(windowed, memory), open: Open::default() }
    }

    /// Takes a batch of a file.
    ///
    /// # Errors
    /// When the store of what memory has no room for fails. Then nothing more can be known.
    pub fn take(
        &mut self,
        file: usize,
        batch: Batch,
        mut each: impl FnMut(Step) -> bool,
    ) -> io::Result<()> {
        if !batch.immediate.is_empty() {
            self.open.close(&mut each);
            self.open.step.immediate = batch.immediate;
            self.open.step.file = batch.file;
        }
        if self.open.unwanted {
            return Ok(());
        }
        Stopped::unless_failed(self.sort(file, batch.runs, batch.recorder_event, each))
    }

    fn sort(
        &mut self,
        file: usize,
        runs: Vec<Run>,
        event: Option<RecorderEvent>,
        each: impl FnMut(Step) -> bool,
    ) -> Result<(), Stopped> {
        for run in runs {
            self.interleaver.push(file, run)?;
        }
        let mut out = Out { open: &mut self.open, each };
        event.map_or(Ok(()), |event| self.interleaver.handle_event(file, event, &mut out))
    }

    /// The file that must give its next batch, or say that it has none, for anything more to be
    /// known; `None` once all is, and once no more is wanted.
    ///
    /// # Errors
    /// When the store fails.
    pub fn wants(&mut self, mut each: impl FnMut(Step) -> bool) -> io::Result<Option<usize>> {
        if self.open.unwanted {
            return Ok(None);
        }
        let mut out = Out { open: &mut self.open, each: &mut each };
        let wanted = Stopped::unless_failed(self.interleaver.flush(&mut out))?;
        if wanted.is_none() {
            self.open.close(&mut each);
        }
        Ok(wanted)
    }

    /// Notes that a file has no more batches.
    ///
    /// # Errors
    /// When the store fails.
    pub fn end(&mut self, file: usize, each: impl FnMut(Step) -> bool) -> io::Result<()> {
        if self.open.unwanted {
            return Ok(());
        }
        let mut out = Out { open: &mut self.open, each };
        Stopped::unless_failed(self.interleaver.end(file, &mut out))
    }

    /// Late events, by file.
    pub fn losses(&self) -> impl Iterator<Item = &LossBook> {
        self.interleaver.sorters().map(Sorter::losses)
    }

    /// Whether events were kept that may have been too late if files had more events.
    pub fn has_nearly_late(&self) -> bool {
        self.interleaver.sorters().any(Sorter::has_nearly_late)
    }

    /// The most bytes of events that waited in memory to be put in order, over all files.
    pub fn peak(&self) -> u64 {
        self.interleaver.peak()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::sort::tests::spilled::Store;
    use crate::{RunKind, RunStore};

    /// Counts what is read.
    struct Counting(Store, Arc<AtomicUsize>);

    impl RunStore for Counting {
        fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
            self.0.write(bytes, at)
        }

        fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.read(bytes, at)
        }
    }

    fn batch(runs: Vec<Run>) -> Batch {
        Batch { runs, ..Batch::default() }
    }

    fn run(position: u32, timestamps: Vec<i64>, payload: Payload) -> Run {
        Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            cpu: Some(0),
            source: 0,
            generation: 0,
            position,
            addr: 0,
            timestamps,
            payload,
        }
    }

    /// Once a step is not wanted, nothing more is read back or given.
    #[test]
    fn a_merge_ends_where_no_more_is_wanted() {
        const RUNS: u32 = 16;
        const LEN: usize = STEP_EVENTS / 2;
        let outcome = |wanted: usize| {
            let reads = Arc::new(AtomicUsize::new(0));
            let store = Counting(Store::default(), Arc::clone(&reads));
            let memory = SortMemory::with_blocks(1 << 18, 1 << 12, store);
            let mut order = EventOrder::new(&[false], memory);
            let mut steps = 0;
            let mut each = |_: Step| {
                steps += 1;
                steps < wanted
            };
            for position in 0..RUNS {
                let timestamps = (0..LEN as i64).collect();
                let payload = Payload::Bundle { addr: 0, ranges: vec![(0, 0); LEN] };
                let batch = batch(vec![run(position, timestamps, payload)]);
                assert_eq!(order.wants(&mut each).expect("the store takes all"), Some(0));
                order.take(0, batch, &mut each).expect("the store takes all");
            }
            reads.store(0, Ordering::Relaxed);
            order.end(0, &mut each).expect("the store gives all");
            assert_eq!(order.wants(&mut each).expect("the store gives all"), None);
            order.end(0, &mut each).expect("nothing is done");
            (steps, reads.load(Ordering::Relaxed))
        };
        let (steps, all) = outcome(usize::MAX);
        assert_eq!(steps, RUNS as usize / 2);
        let (steps, first) = outcome(1);
        assert_eq!(steps, 1);
        assert!(first < all / 4, "{first} of {all} blocks were read");
    }

    /// A step holds no more strings than a few runs have, however few events these have.
    #[test]
    fn strings_end_a_step() {
        const RUNS: usize = 100;
        const STRINGS: usize = 1 << 13;
        let mut order = EventOrder::new(&[false], SortMemory::in_memory());
        let runs = (0..RUNS).map(|at| {
            let strings = vec![Span { addr: 0, len: 0 }; STRINGS].into();
            let words = vec![0];
            let payload =
                Payload::Words { width: 1, words, strings, ranks: Vec::new(), own_strings: false };
            run(at as u32, vec![at as i64], payload)
        });
        let mut events = Vec::new();
        let mut each = |step: Step| {
            events.push(step.events.iter().count());
            true
        };
        order.take(0, batch(runs.collect()), &mut each).expect("nothing is stored");
        order.end(0, &mut each).expect("nothing is stored");
        order.wants(&mut each).expect("nothing is stored");
        let of_step = STEP_STRINGS as usize / (STRINGS * size_of::<Span>());
        assert_eq!((events.iter().sum::<usize>(), events[0]), (RUNS, of_step));
    }
}
