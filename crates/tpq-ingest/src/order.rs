//! Puts the batches of all files into one order, as steps that can be taken on another thread.
//!
//! What a file says takes effect where it says it; events come in the order of time. So a step is
//! what takes effect at once, and the events that follow it.

use std::sync::Arc;

use crate::trace_bytes::fetch;
use crate::{
    Batch, Emit, Immediate, Interleaver, LossBook, Payload, Run, Sorter, Span, TraceBytes,
};

/// Events in a step. Enough that handing one over costs nothing, few enough to stay in the cache.
const STEP_EVENTS: usize = 1 << 14;
/// A power of two: how many runs of a step are found again by their address.
const NEAR: usize = 256;

/// How many events ahead memory is asked for: as long as it takes to decode these.
const AHEAD: usize = 6;

/// What takes effect next.
#[derive(Debug, Default)]
pub struct Step {
    /// What takes effect first, in the order of the file.
    pub immediate: Vec<Immediate>,
    /// The file that says so.
    pub file: u32,
    /// The events that come then.
    pub events: Events,
}

/// Events in the order of trace time.
#[derive(Debug, Default)]
pub struct Events {
    runs: Vec<Arc<Run>>,
    /// When, which of the runs, and where in there.
    order: Vec<(i64, u32, u32)>,
}

impl Events {
    /// Where the strings begin that events refer to which are numbers, once for each of their runs.
    pub fn strings(&self) -> impl Iterator<Item = Span> {
        self.runs.iter().filter_map(|run| match &run.payload {
            Payload::Words { strings, .. } => strings.first().copied(),
            _ => None,
        })
    }

    /// Has the processor fetch what is needed soon, when the event of a number is next.
    #[inline]
    pub fn fetch_ahead(&self, next: usize, bytes: &TraceBytes<'_>) {
        let payload = |at: usize| {
            let &(_, run, index) = self.order.get(next + at)?;
            Some((&self.runs[run as usize].payload, index as usize))
        };
        if let Some((Payload::Messages(messages), index)) = payload(2 * AHEAD) {
            fetch(&messages[index..]);
        }
        if let Some((Payload::Messages(messages), index)) = payload(AHEAD) {
            bytes.fetch(messages[index].span);
        }
    }

    /// Each event: when, and its place in a run.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Arc<Run>, usize)> {
        self.order.iter().map(|&(ts, run, index)| (ts, &self.runs[run as usize], index as usize))
    }
}

/// Sorts files and interleaves them. What comes out is given to a function, a step at a time.
pub struct EventOrder {
    interleaver: Interleaver,
    open: Open,
}

/// The step under way.
struct Open {
    step: Step,
    /// By their addresses, the runs that events were lately of.
    near: Vec<(usize, u32)>,
}

impl Default for Open {
    fn default() -> Self {
        Self { step: Step::default(), near: vec![(0, 0); NEAR] }
    }
}

impl Open {
    fn close(&mut self, each: &mut impl FnMut(Step)) {
        let step = std::mem::take(&mut self.step);
        if !step.immediate.is_empty() || !step.events.order.is_empty() {
            each(step);
        }
        self.near.fill((0, 0));
    }
}

struct Out<'a, F> {
    open: &'a mut Open,
    each: F,
}

impl<F: FnMut(Step)> Emit for Out<'_, F> {
    fn emit(&mut self, ts: i64, run: &Arc<Run>, index: usize) {
        // A run of the step stays where it is for as long as the step holds it.
        let address = Arc::as_ptr(run).addr();
        let near = &mut self.open.near[address / 64 % NEAR];
        let events = &mut self.open.step.events;
        if near.0 != address {
            *near = (address, events.runs.len() as u32);
            events.runs.push(Arc::clone(run));
        }
        events.order.push((ts, near.1, index as u32));
        if events.order.len() == STEP_EVENTS {
            self.open.close(&mut self.each);
        }
    }
}

impl EventOrder {
    /// For files that have events, each sorted by windows of at most so many bytes, or in full.
    pub fn new(windows: &[Option<u64>]) -> Self {
        Self { interleaver: Interleaver::new(windows), open: Open::default() }
    }

    /// Takes a batch of a file.
    pub fn take(&mut self, file: usize, batch: Batch, mut each: impl FnMut(Step)) {
        if !batch.immediate.is_empty() {
            self.open.close(&mut each);
            self.open.step.immediate = batch.immediate;
            self.open.step.file = batch.file;
        }
        let mut out = Out { open: &mut self.open, each };
        for run in batch.runs {
            self.interleaver.push(file, run);
            self.interleaver.relieve(file, &mut out);
        }
        if let Some(mark) = batch.mark {
            self.interleaver.mark(file, mark, &mut out);
        }
    }

    /// The file that must give its next batch, or say that it has none, for anything more to be
    /// known; `None` once all is.
    pub fn wants(&mut self, mut each: impl FnMut(Step)) -> Option<usize> {
        let mut out = Out { open: &mut self.open, each: &mut each };
        let wanted = self.interleaver.pass_on(&mut out);
        if wanted.is_none() {
            self.open.close(&mut each);
        }
        wanted
    }

    /// Notes that a file has no more batches.
    pub fn end(&mut self, file: usize, each: impl FnMut(Step)) {
        self.interleaver.end(file, &mut Out { open: &mut self.open, each });
    }

    /// What came too late, by file.
    pub fn losses(&self) -> impl Iterator<Item = &LossBook> {
        self.interleaver.sorters().map(Sorter::losses)
    }

    /// The most bytes of events that waited to be sorted in, over all files.
    pub fn peak(&self) -> u64 {
        self.interleaver.sorters().map(Sorter::peak).sum()
    }
}
