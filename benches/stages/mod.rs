//! The stages before the one that is measured, one after the other.

use std::sync::Arc;

use tpq_decode::PacketRouter;
use tpq_ingest::{Batch, Batcher, Survey, Timeline, TraceBytes, survey};

use crate::traces::Trace;

/// Skims a trace.
pub fn skim(trace: &Trace) -> Survey<'_> {
    survey(&trace.bytes, &mut |_| ()).unwrap_or_else(|error| panic!("{trace}: {error}"))
}

/// Calls `each` with every batch of a trace and gives its bytes back.
pub fn for_each_batch<'a>(survey: Survey<'a>, mut each: impl FnMut(Batch)) -> TraceBytes<'a> {
    let Survey { bytes, clocks, snapshots, trace_clock, .. } = survey;
    let timeline = Timeline::new(clocks, trace_clock);
    let router = Box::new(PacketRouter);
    let mut batcher = Batcher::new(&bytes, Arc::from(snapshots), timeline, router);
    while let Some(batch) = batcher.next_batch() {
        each(batch);
    }
    drop(batcher);
    bytes
}

/// The number of events of a trace.
pub fn count_events(trace: &Trace) -> usize {
    let mut events = 0;
    for_each_batch(skim(trace), |batch| {
        events += batch.runs.iter().map(|run| run.timestamps.len()).sum::<usize>();
    });
    events
}
