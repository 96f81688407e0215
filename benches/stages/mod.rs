//! The stages before the one that is measured, one after the other.

use std::sync::Arc;

use tpq_decode::PacketRouter;
use tpq_ingest::{Batch, Batcher, SnapshotPacket, Survey, Timeline, TraceBytes, survey};

use crate::traces::Trace;

/// What a skim finds out about the clocks of a trace.
pub struct Clocks {
    timeline: Timeline,
    snapshots: Vec<SnapshotPacket>,
}

/// Skims a trace.
pub fn skim(trace: &Trace) -> (TraceBytes<'_>, Clocks) {
    let survey =
        survey(&trace.bytes, &mut |_| ()).unwrap_or_else(|error| panic!("{trace}: {error}"));
    let Survey { bytes, clocks, snapshots, trace_clock, .. } = survey;
    (bytes, Clocks { timeline: Timeline::new(clocks, trace_clock), snapshots })
}

/// Calls `each` with every batch of a trace.
pub fn for_each_batch(bytes: &TraceBytes<'_>, clocks: Clocks, each: impl FnMut(Batch)) {
    let Clocks { timeline, snapshots } = clocks;
    let mut batcher = Batcher::new(bytes, Arc::from(snapshots), timeline, Box::new(PacketRouter));
    std::iter::from_fn(|| batcher.next_batch()).for_each(each);
}

/// The number of events of a trace.
pub fn count_events(trace: &Trace) -> usize {
    let (bytes, clocks) = skim(trace);
    let mut events = 0;
    for_each_batch(&bytes, clocks, |batch| {
        events += batch.runs.iter().map(|run| run.timestamps.len()).sum::<usize>();
    });
    events
}
