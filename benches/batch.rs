//! Stages `frame`, `sequence` and `clock`: packets become runs of events in trace time.
//!
//! Run: `cargo bench -p tpq-decode --bench batch`, with `TPQ_BENCH_TRACE=FILE` for a trace of
//! your own. Items are events. `copied` is the baseline: the bytes of the trace copied. Each
//! batch is dropped once it is made, so the memory shown is that of the largest.

mod stages;
mod traces;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use traces::Trace;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 20)]
fn copied(bencher: Bencher<'_, '_>, trace: &Trace) {
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .with_inputs(|| trace.bytes.clone())
        .bench_refs(|target| target.copy_from_slice(divan::black_box(&trace.bytes)));
}

#[divan::bench(args = traces::all(), sample_size = 1, sample_count = 20)]
fn batched(bencher: Bencher<'_, '_>, trace: &Trace) {
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .counter(ItemsCount::new(stages::count_events(trace)))
        .with_inputs(|| stages::header_scan(trace))
        .bench_values(|(bytes, clocks)| {
            stages::for_each_batch(&bytes, clocks, |batch| drop(divan::black_box(batch)));
            bytes
        });
}
