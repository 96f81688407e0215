//! Splitting bundles, and bringing every timestamp to trace time.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_clock::{
    Clock, ClockGraph, ClockPaths, Converter, PathError, PlaceError, Placement, Source, TRACE_FILE,
};
use tpq_proto::fields::trace_packet;

use crate::ftrace_clock::FILE_CLOCK;
use crate::loss::{LossBook, LossEntry};
use crate::{GenerationId, Immediate, Loss, Message, Payload, Run, RunKind, SourceId, Span};

/// The route of packets of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// No decoder reads them.
    Skip,
    /// Decoded as soon as they are read, in file order: descriptors and statements of the recorder.
    Immediate,
    /// Decoded in the order of time.
    Sorted,
    /// Decoded as soon as they are read, and again in the order of time: later events need their
    /// contents, and they also have a time of their own.
    Twice,
    /// As [`Route::Twice`], for descriptions and values in one packet: values without a time are
    /// lost.
    TwiceIfDated,
    /// Split into runs of events.
    Split,
}

/// Declares the packets that decoders read, and splits bundles.
///
/// To add a kind of packet, return its [`Route`]; for [`Route::Split`], also split it.
pub trait Router: Send {
    /// The route of packets with field `kind` as their payload.
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
    /// Where it was recorded.
    pub source: SourceId,
    /// The state of its sequence.
    pub generation: GenerationId,
    /// The writer sequence.
    pub sequence: u32,
    /// The number of its packet.
    pub position: u32,
    /// The clock of its packet, as its sequence calls it.
    pub clock: u32,
    /// When its packet was written, ns of that clock, if it says.
    pub ns: Option<i64>,
}

impl Bundle<'_> {
    /// A run of packets' lane with events of this bundle, given in the order of `timestamps`.
    pub fn run(&self, kind: RunKind, timestamps: Vec<i64>, payload: Payload) -> Run {
        Run {
            kind,
            cpu: None,
            source: self.source,
            generation: self.generation,
            position: self.position,
            addr: self.span.addr,
            timestamps,
            payload,
        }
    }

    /// The bundle as a message of its own, decoded in file order.
    pub fn header(&self, ts: Option<i64>) -> Immediate {
        let Self { span, generation, position, kind, source, sequence, .. } = *self;
        let message = Message::new(span, generation, position, kind);
        Immediate::Packet { message, source, sequence, ts }
    }
}

/// Takes the runs a bundle is split into.
pub struct SplitSink<'a> {
    pub(crate) timeline: &'a mut Timeline,
    pub(crate) clocks: ClockNames,
    pub(crate) sequence: u32,
    pub(crate) source: SourceId,
    pub(crate) pending: &'a mut Vec<PendingRun>,
    pub(crate) immediate: &'a mut Vec<Immediate>,
    pub(crate) losses: &'a mut LossBook,
}

impl SplitSink<'_> {
    /// Adds a run with timestamps in ns of the clock that the bundle's sequence calls `clock`.
    pub fn push(&mut self, clock: u32, run: Run) {
        if !run.timestamps.is_empty() {
            let clock = self.clocks.clock(self.sequence, clock);
            self.pending.push(PendingRun { clock, run });
        }
    }

    /// Converts a time of the clock with id `clock` in the bundle's sequence to trace time; `None`
    /// if no path leads there.
    pub fn trace_time(&mut self, clock: u32, ns: i64) -> Option<i64> {
        self.timeline.to_trace_time(self.clocks.clock(self.sequence, clock), ns)
    }

    /// Whether times from `from` to `to` of the clock with id `clock` in the bundle's sequence are
    /// known to have the same order in trace time.
    pub fn keeps_order(&mut self, clock: u32, from: i64, to: i64) -> bool {
        self.timeline.keeps_order(self.clocks.clock(self.sequence, clock), from, to)
    }

    /// Adds something that takes effect in file order.
    pub fn immediate(&mut self, immediate: Immediate) {
        self.immediate.push(immediate);
    }

    /// Counts what could not be split.
    pub fn lose(&mut self, loss: Loss) {
        self.losses.at(self.source).count(loss);
    }
}

/// The clock ids of a source.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockNames {
    /// The source.
    pub source: Source,
    /// The clock of packets that name none.
    pub default: u32,
    /// Whether the file's clock is unknown. All timestamps of the file are then on its private
    /// timeline.
    pub private: bool,
}

impl ClockNames {
    /// The clock that a sequence calls `id`.
    pub fn clock(&self, sequence: u32, id: u32) -> Clock {
        match self.private {
            true => Clock::of_source(self.source, TRACE_FILE),
            false if id == FILE_CLOCK => Clock::new(self.source, sequence, self.default),
            false => Clock::new(self.source, sequence, id),
        }
    }
}

/// A run that is still in the clock it was recorded in.
#[derive(Debug)]
pub struct PendingRun {
    /// The clock that the timestamps are ns of.
    pub clock: Clock,
    /// The run.
    pub run: Run,
}

/// Converts every clock of an import to trace time.
#[derive(Clone)]
pub struct Timeline {
    graph: Arc<ClockGraph>,
    paths: Arc<ClockPaths>,
    placements: FxHashMap<Clock, Result<Placement, PlaceError>>,
}

impl Timeline {
    /// A timeline in a clock of the graph.
    pub fn new(graph: Arc<ClockGraph>, trace_clock: Clock) -> Self {
        let paths = Arc::new(graph.paths_to(trace_clock));
        Self { graph, paths, placements: FxHashMap::default() }
    }

    /// The clock that is trace time.
    pub fn trace_clock(&self) -> Clock {
        self.paths.to()
    }

    /// All that is known of the clocks.
    pub fn graph(&self) -> &Arc<ClockGraph> {
        &self.graph
    }

    fn placement(&mut self, clock: Clock) -> &Result<Placement, PlaceError> {
        let (graph, paths) = (&self.graph, &self.paths);
        self.placements.entry(clock).or_insert_with(|| graph.place_by(clock, paths))
    }

    /// Converts the timestamp of a packet; one that is not on the timeline is counted and entered
    /// as `entry` says where it lies.
    pub(crate) fn date(
        &mut self,
        clock: Clock,
        ns: i64,
        entry: LossEntry,
        losses: &mut LossBook,
    ) -> Option<i64> {
        let loss = match self.to_trace_time(clock, ns) {
            Some(ts) if ts >= 0 && ns >= 0 => return Some(ts),
            Some(_) => Loss::NegativeTimestamp,
            None => match self.placement(clock) {
                Ok(_) => return None,
                Err(error) => loss_of(*error),
            },
        };
        let entry = LossEntry { loss, clock: Some(clock), timestamp: Some(ns), ..entry };
        losses.enter(entry, 1);
        None
    }

    /// Converts one timestamp, if there is a way.
    pub fn to_trace_time(&mut self, clock: Clock, ns: i64) -> Option<i64> {
        if clock == self.trace_clock() {
            return Some(ns);
        }
        self.placement(clock).as_ref().ok().map(|placement| placement.converter.convert_one(ns))
    }

    /// Whether times from `from` to `to` are known to have the same order once they are converted.
    /// A clock that has no place has no times to order.
    fn keeps_order(&mut self, clock: Clock, from: i64, to: i64) -> bool {
        if clock == self.trace_clock() {
            return true;
        }
        match self.placement(clock) {
            Ok(placement) => placement.converter.keeps_order(from, to),
            Err(_) => true,
        }
    }

    /// The conversion of a clock, if there is a path.
    pub fn converter(&mut self, clock: Clock) -> Option<Converter> {
        if clock == self.trace_clock() {
            return Some(Converter::identity());
        }
        self.placement(clock).as_ref().ok().map(|placement| placement.converter.clone())
    }

    /// Takes over what another timeline of the same clocks was asked for.
    pub fn merge(&mut self, other: &Self) {
        for (&clock, placement) in &other.placements {
            self.placements.entry(clock).or_insert_with(|| placement.clone());
        }
    }

    /// The clocks that were asked for and how each was placed, in no order.
    pub fn placements(&self) -> impl Iterator<Item = (Clock, &Result<Placement, PlaceError>)> {
        self.placements.iter().map(|(&clock, placement)| (clock, placement))
    }

    /// Converts a run in place; what cannot be placed is dropped and counted.
    pub fn convert(&mut self, pending: PendingRun, losses: &mut LossBook) -> Option<Run> {
        let PendingRun { clock, mut run } = pending;
        let mut written = None;
        if clock != self.trace_clock() {
            match self.placement(clock) {
                Ok(placement) => {
                    written = Some(run.timestamps.clone());
                    placement.converter.convert(&mut run.timestamps);
                    drop_impossible(&mut run.timestamps, written.as_deref().unwrap_or_default());
                }
                Err(error) => {
                    lose(&run, clock, loss_of(*error), &run.timestamps, |_| true, losses);
                    return None;
                }
            }
        }
        if run.timestamps.iter().any(|&ts| ts < 0) {
            let written = written.as_ref().unwrap_or(&run.timestamps);
            let is_lost = |index: usize| run.timestamps[index] < 0;
            let is_event = |index: usize| run.kind_of(index) == Some(trace_packet::TRACK_EVENT);
            let other = |index| is_lost(index) && !is_event(index);
            lose(&run, clock, Loss::NegativeTimestamp, written, other, losses);
            let event = |index| is_lost(index) && is_event(index);
            lose(&run, clock, Loss::NegativeEventTime, written, event, losses);
            run.drop_negative();
        }
        Some(run)
    }
}

/// No clock reads so much that it is negative as a signed number; converted, such a reading could
/// come to lie anywhere.
fn drop_impossible(timestamps: &mut [i64], written: &[i64]) {
    if written.iter().any(|&ns| ns < 0) {
        for (ts, _) in timestamps.iter_mut().zip(written).filter(|(_, written)| **written < 0) {
            *ts = -1;
        }
    }
}

/// Counts events of a run that have no place on the timeline, and enters each of their packets.
/// `written` are their times in the clock they were recorded in.
fn lose(
    run: &Run,
    clock: Clock,
    loss: Loss,
    written: &[i64],
    is_lost: impl Fn(usize) -> bool,
    losses: &mut LossBook,
) {
    let lost: Vec<usize> = (0..written.len()).filter(|&index| is_lost(index)).collect();
    for of_packet in lost.chunk_by(|&a, &b| run.position_of(a) == run.position_of(b)) {
        let first = of_packet[0];
        let entry = LossEntry {
            clock: Some(clock),
            timestamp: Some(written[first]),
            ..LossEntry::at(loss, run.source, run.addr_of(first), run.position_of(first))
        };
        losses.enter(entry, of_packet.len() as u64);
    }
}

/// The loss of an event that cannot be placed.
pub(crate) fn loss_of(error: PlaceError) -> Loss {
    match error {
        PlaceError::Path(PathError::UnknownSource(_)) => Loss::UnknownSourceClock,
        PlaceError::Path(PathError::UnknownTarget(_)) => Loss::UnknownTargetClock,
        PlaceError::Path(PathError::NoPath(..)) | PlaceError::Unrelatable(..) => Loss::NoClockPath,
    }
}
