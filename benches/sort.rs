//! Stage `sort`: runs are merged into one stream of events in the order of trace time.
//!
//! Run: `cargo bench -p tpq-decode --bench sort`, with `TPQ_BENCH_TRACE=FILE` for a trace of your
//! own. Items are events; nothing is decoded. Baselines: `copied`, the timestamps copied, and
//! `std_sorted`, timestamps with their places sorted by the standard library, which finds and
//! merges runs as well. Runs are made before the clock starts, so the memory shown is what
//! merging adds to them.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod stages;
mod traces;

use std::ops::ControlFlow;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use tpq_ingest::{Emit, RecorderEvent, Run, SortMemory, Sorter};
use traces::Trace;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// The runs of each batch and what the recorder did after it.
fn batches(trace: &Trace) -> Vec<(Vec<Run>, Option<RecorderEvent>)> {
    let (bytes, clocks) = stages::header_scan(trace);
    let mut batches = Vec::new();
    stages::for_each_batch(&bytes, clocks, |batch| {
        batches.push((batch.runs, batch.recorder_event))
    });
    batches
}

fn timestamps(trace: &Trace) -> Vec<i64> {
    let batches = batches(trace);
    batches.iter().flat_map(|(runs, _)| runs).flat_map(|run| run.timestamps.clone()).collect()
}

/// Takes events and checks no more than their order.
struct InOrder {
    last: i64,
}

impl Emit for InOrder {
    fn emit(&mut self, ts: i64, _: &Arc<Run>, _: usize) -> ControlFlow<()> {
        assert!(ts >= self.last);
        self.last = ts;
        ControlFlow::Continue(())
    }
}

fn merge(batches: Vec<(Vec<Run>, Option<RecorderEvent>)>, windowed: bool) -> i64 {
    let mut sorter = Sorter::new(windowed);
    let room = SortMemory::in_memory();
    let mut out = InOrder { last: i64::MIN };
    for (runs, event) in batches {
        for run in runs {
            sorter.push(run);
        }
        if let Some(event) = event {
            sorter.handle_event(event, &room, &mut out).unwrap();
        }
    }
    sorter.finish(&room, &mut out).unwrap();
    out.last
}

fn measure<T, O>(
    bencher: Bencher<'_, '_>,
    trace: &Trace,
    input: impl Fn() -> T + Sync,
    work: impl Fn(T) -> O + Sync,
) {
    let events = stages::count_events(trace);
    bencher
        .counter(BytesCount::of_many::<i64>(events))
        .counter(ItemsCount::new(events))
        .with_inputs(input)
        .bench_values(work);
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 20)]
fn copied(bencher: Bencher<'_, '_>, trace: &Trace) {
    let column = timestamps(trace);
    let copy = |mut target: Vec<i64>| {
        target.copy_from_slice(divan::black_box(&column));
        target
    };
    measure(bencher, trace, || column.clone(), copy);
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 20)]
fn std_sorted(bencher: Bencher<'_, '_>, trace: &Trace) {
    let column: Vec<(i64, u32)> = timestamps(trace).into_iter().zip(0..).collect();
    let sort = |mut column: Vec<(i64, u32)>| {
        column.sort();
        column
    };
    measure(bencher, trace, || column.clone(), sort);
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 20)]
fn merged_in_windows(bencher: Bencher<'_, '_>, trace: &Trace) {
    measure(bencher, trace, || batches(trace), |batches| merge(batches, true));
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 20)]
fn merged_at_the_end(bencher: Bencher<'_, '_>, trace: &Trace) {
    measure(bencher, trace, || batches(trace), |batches| merge(batches, false));
}
