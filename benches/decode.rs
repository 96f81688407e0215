//! Stages `sort` and `decode`: batches of events become the builders of the tables.
//!
//! Run: `cargo bench -p tpq-decode --bench decode`, with `TPQ_BENCH_TRACE=FILE` for a trace of
//! your own. Items are events. `copied` is the baseline: the bytes of the trace copied.
//!
//! Batches are made before the clock starts and given up one by one, so the memory shown is only
//! what tables and trackers need beyond them. `imported` is every stage from `prescan` to `tables`
//! on one thread, and its memory that of a whole import beside the mapped trace.

mod stages;
mod traces;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use tpq_decode::Finished;
use tpq_ingest::{Batch, TraceBytes};
use traces::Trace;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn batches(trace: &Trace) -> (TraceBytes<'_>, Vec<Batch>) {
    let (bytes, clocks) = stages::header_scan(trace);
    let mut batches = Vec::new();
    stages::for_each_batch(&bytes, clocks, |batch| batches.push(batch));
    (bytes, batches)
}

fn decode((bytes, batches): (TraceBytes<'_>, Vec<Batch>), windowed: bool) -> Finished {
    let mut decoding = stages::Decoding::new(&bytes, windowed);
    for batch in batches {
        decoding.take(batch);
    }
    decoding.finish()
}

fn measure(bencher: Bencher<'_, '_>, trace: &Trace, windowed: bool) {
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .counter(ItemsCount::new(stages::count_events(trace)))
        .with_inputs(|| batches(trace))
        .bench_values(|input| decode(input, windowed));
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 10)]
fn copied(bencher: Bencher<'_, '_>, trace: &Trace) {
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .with_inputs(|| trace.bytes.clone())
        .bench_refs(|target| target.copy_from_slice(divan::black_box(&trace.bytes)));
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 10)]
fn decoded_in_windows(bencher: Bencher<'_, '_>, trace: &Trace) {
    measure(bencher, trace, true);
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 10)]
fn decoded_at_the_end(bencher: Bencher<'_, '_>, trace: &Trace) {
    measure(bencher, trace, false);
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 10)]
fn imported(bencher: Bencher<'_, '_>, trace: &Trace) {
    let import = || {
        let (bytes, clocks) = stages::header_scan(trace);
        let mut decoding = stages::Decoding::new(&bytes, true);
        stages::for_each_batch(&bytes, clocks, |batch| decoding.take(batch));
        decoding.finish().tables.finish()
    };
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .counter(ItemsCount::new(stages::count_events(trace)))
        .bench(import);
}
