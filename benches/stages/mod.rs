//! The stages before the one that is measured, one after the other, for a trace of one machine.

#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::sync::Arc;

use tpq_clock::{BOOTTIME, Clock, ClockGraph, Reading, Source};
use tpq_decode::{Decoder, Finished, MachineInfo, Outcome, PacketRouter, Setup};
use tpq_ingest::{
    Batch, Batcher, ClockNames, EventOrder, EventReader, FileContext, Prescan, PrescanMemory,
    SortMemory, Sources, Step, Timeline, TraceBytes, prescan,
};
use tpq_tables::TableGroups;

use crate::traces::Trace;

/// The clocks of a trace, as the prescan finds them.
pub struct Clocks {
    file: FileContext,
    timeline: Timeline,
}

/// Prescans a trace.
pub fn header_scan(trace: &Trace) -> (TraceBytes<'_>, Clocks) {
    let prescan = prescan(&trace.bytes, 0, PrescanMemory::in_memory(u64::MAX), &|_| (), true, None)
        .unwrap_or_else(|error| panic!("{trace}: {error}"));
    let Prescan { mut bytes, snapshots, primary_clock, .. } = prescan;
    let source = Source::default();
    let default = primary_clock.unwrap_or(BOOTTIME);
    let names = ClockNames { source, default, private: false };
    let mut graph = ClockGraph::default();
    for snapshot in &snapshots {
        let readings: Vec<Reading> = snapshot
            .clocks
            .iter()
            .map(|it| Reading::ns(names.clock(snapshot.sequence, it.id), it.value))
            .collect();
        graph.add_snapshot(&readings).unwrap_or_else(|error| panic!("{trace}: {error}"));
    }
    let timeline = Timeline::new(Arc::new(graph), Clock::of_source(source, default));
    let file = FileContext {
        segments: bytes.take_segments(),
        snapshots,
        base: (0, names),
        ..FileContext::default()
    };
    (TraceBytes::new([bytes]), Clocks { file, timeline })
}

/// Calls `each` with every batch of a trace.
pub fn for_each_batch(bytes: &TraceBytes<'_>, clocks: Clocks, each: impl FnMut(Batch)) {
    let Clocks { file, timeline } = clocks;
    let mut batcher = Batcher::new(bytes, file, timeline, Box::new(PacketRouter::default()));
    std::iter::from_fn(|| batcher.next_batch()).for_each(each);
}

/// The number of events of a trace.
pub fn count_events(trace: &Trace) -> usize {
    let (bytes, clocks) = header_scan(trace);
    let mut events = 0;
    for_each_batch(&bytes, clocks, |batch| {
        events += batch.runs.iter().map(|run| run.timestamps.len()).sum::<usize>();
    });
    events
}

/// A timeline that converts nothing.
fn own_clock() -> Timeline {
    Timeline::new(Arc::default(), Clock::of_source(Source::default(), BOOTTIME))
}

/// A decoder of one file of one machine.
#[allow(dead_code, reason = "not every bench decodes")]
fn decoder<'a>(bytes: &'a TraceBytes<'a>) -> Decoder<'a> {
    let mut sources = Sources::default();
    sources.add(Source::default());
    let names = ClockNames { source: Source::default(), default: BOOTTIME, private: false };
    let machines = vec![MachineInfo { raw_id: 0, name: None }];
    let clocks = vec![names];
    let setup = Setup {
        machines,
        sources,
        clocks,
        files: 1,
        late_args: true,
        ftrace_raw: true,
        left_out: TableGroups::NONE,
        crop: false,
        kernels: [0].into(),
    };
    Decoder::new(bytes, setup, &own_clock(), &[])
}

/// Decodes a step, and wants more.
fn decode(decoder: &mut Decoder<'_>, step: Step) -> bool {
    decoder.decode(step, drop);
    true
}

/// Decodes batches in the order of time.
#[allow(dead_code, reason = "not every bench decodes")]
pub struct Decoding<'a> {
    order: EventOrder,
    decoder: Decoder<'a>,
}

#[allow(dead_code, reason = "not every bench decodes")]
impl<'a> Decoding<'a> {
    /// Sorts by windows that the recorder closes, or in full.
    pub fn new(bytes: &'a TraceBytes<'a>, windowed: bool) -> Self {
        let order = EventOrder::new(&[windowed], SortMemory::in_memory());
        Self { order, decoder: decoder(bytes) }
    }

    /// Takes the next batch.
    pub fn take(&mut self, batch: Batch) {
        let Self { order, decoder } = self;
        order.take(0, batch, |step| decode(decoder, step)).unwrap();
    }

    /// Decodes what is left.
    pub fn finish(mut self) -> Finished {
        let Self { order, decoder } = &mut self;
        order.end(0, |step| decode(decoder, step)).unwrap();
        order.wants(|step| decode(decoder, step)).unwrap();
        self.decoder.finish(
            Outcome {
                books: &[],
                order: &self.order,
                prescans: &[],
                sequences: &[],
                ties: &[],
                timeline: own_clock(),
            },
            || (),
        )
    }
}
