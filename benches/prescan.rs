//! Stage before `frame`: one pass over the whole trace, headers only, for the clock snapshots.
//!
//! Run: `cargo bench -p tpq-ingest --bench prescan`, with `TPQ_BENCH_TRACE=FILE` for a trace of
//! your own. Items are packets. `copied` is the baseline: the bytes of the trace copied.

mod traces;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use tpq_ingest::{Prescan, PrescanMemory, prescan};
use traces::Trace;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn header_scan(trace: &Trace) -> Prescan<'_> {
    prescan(&trace.bytes, 0, PrescanMemory::in_memory(u64::MAX), &|_| (), true, None)
        .unwrap_or_else(|error| panic!("{trace}: {error}"))
}

#[divan::bench(args = traces::all(), sample_size = 1)]
fn copied(bencher: Bencher<'_, '_>, trace: &Trace) {
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .with_inputs(|| trace.bytes.clone())
        .bench_refs(|target| target.copy_from_slice(divan::black_box(&trace.bytes)));
}

#[divan::bench(args = traces::all(), sample_size = 1)]
fn scanned(bencher: Bencher<'_, '_>, trace: &Trace) {
    bencher
        .counter(BytesCount::of_slice(&trace.bytes))
        .counter(ItemsCount::new(header_scan(trace).packets))
        .bench(|| header_scan(trace));
}
