//! Raw timestamps become trace time: whole columns at a time, one path per clock.

use rustc_hash::FxHashMap;
use tpq_clock::{Clock, ClockGraph, Converter, PathError};

use crate::{GenerationId, Immediate, Loss, Losses, Run, Span};

/// What the importer does with packets of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// Nobody reads them.
    Skip,
    /// Decoded as soon as they are read, in file order: descriptors, the recorder's own words.
    Immediate,
    /// Decoded in the order of time.
    Sorted,
    /// Split into runs of events.
    Split,
}

/// What a format's decoders tell the importer: which packets they want, and how bundles split.
///
/// To add a kind of packet, say its [`Route`]; for [`Route::Split`], also split it.
pub trait Router: Send {
    /// What to do with packets whose payload is field `kind`.
    fn route(&self, kind: u32) -> Route;

    /// Splits a bundle into runs of events.
    fn split(&mut self, bundle: Bundle<'_>, sink: &mut SplitSink<'_>);
}

/// A packet that holds many events.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a> {
    /// The number of its field.
    pub kind: u32,
    /// Where its payload lies.
    pub span: Span,
    /// The payload.
    pub payload: &'a [u8],
    /// The machine it was recorded on.
    pub machine: u32,
    /// The state of its sequence.
    pub generation: GenerationId,
    /// The writer sequence.
    pub sequence: u32,
    /// The number of its packet.
    pub position: u32,
}

/// Takes the runs a bundle is split into.
pub struct SplitSink<'a> {
    pub(crate) pending: &'a mut Vec<PendingRun>,
    pub(crate) immediate: &'a mut Vec<Immediate>,
    pub(crate) losses: &'a mut Losses,
}

impl SplitSink<'_> {
    /// Adds a run whose timestamps are ns of the bundle's clock `clock`, or of trace time.
    pub fn push(&mut self, clock: Option<Clock>, run: Run) {
        if !run.timestamps.is_empty() {
            self.pending.push(PendingRun { clock, run });
        }
    }

    /// Adds something that takes effect in file order.
    pub fn immediate(&mut self, immediate: Immediate) {
        self.immediate.push(immediate);
    }

    /// Counts what could not be split.
    pub fn lose(&mut self, loss: Loss) {
        self.losses.count(loss);
    }
}

/// A run that is still in the clock it was recorded in.
#[derive(Debug)]
pub(crate) struct PendingRun {
    /// `None` for trace time itself.
    pub(crate) clock: Option<Clock>,
    pub(crate) run: Run,
}

/// Converts every clock of a trace to trace time.
pub struct Timeline {
    graph: ClockGraph,
    trace_clock: Clock,
    paths: FxHashMap<Clock, Result<Converter, PathError>>,
}

impl Timeline {
    /// A timeline in the trace's own clock, an id on the host.
    pub fn new(graph: ClockGraph, trace_clock: u32) -> Self {
        Self { graph, trace_clock: Clock::new(0, 0, trace_clock), paths: FxHashMap::default() }
    }

    /// The clock that is trace time.
    pub fn trace_clock(&self) -> Clock {
        self.trace_clock
    }

    fn path(&mut self, clock: Clock) -> &Result<Converter, PathError> {
        let (graph, target) = (&self.graph, self.trace_clock);
        self.paths.entry(clock).or_insert_with(|| graph.converter(clock, target))
    }

    /// Converts one timestamp, if there is a way.
    pub fn to_trace_time(&mut self, clock: Clock, ns: i64) -> Option<i64> {
        self.path(clock).as_ref().ok().map(|path| path.convert_one(ns))
    }

    /// Converts a run in place; what cannot be placed is dropped and counted.
    pub(crate) fn convert(&mut self, pending: PendingRun, losses: &mut Losses) -> Option<Run> {
        let PendingRun { clock, mut run } = pending;
        if let Some(clock) = clock {
            match self.path(clock) {
                Ok(path) => path.convert(&mut run.timestamps),
                Err(error) => {
                    let loss = match error {
                        PathError::UnknownSource(_) => Loss::UnknownSourceClock,
                        PathError::UnknownTarget(_) => Loss::UnknownTargetClock,
                        PathError::NoPath(..) => Loss::NoClockPath,
                    };
                    losses.add(loss, run.timestamps.len() as u64);
                    return None;
                }
            }
        }
        losses.add(Loss::NegativeTimestamp, run.drop_negative());
        Some(run)
    }
}
