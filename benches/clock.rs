//! Stage `clock`: raw timestamps become trace time, a whole column at a time.
//!
//! Run: `cargo bench -p tpq-clock --bench clock`
//!
//! `nearest` and `linear` are the kernels on a column in the order of time, as writers give it;
//! `shuffled` is the same on a column in no order at all, which no recorder writes. `prepared` is
//! what the first conversion along straight lines works out for all later ones. `copied` is the
//! baseline: the same column copied by `copy_from_slice`, which reads and writes as much. The
//! kernels work in place, so the column of memory that divan shows for them stays empty.

use std::fmt;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use tpq_clock::{Converter, Edge, Interpolation};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

/// Timestamps of a column.
const TIMESTAMPS: usize = 1_000_000;
/// From one timestamp to the next, ns.
const STEP: usize = 1_000;

fn main() {
    divan::main();
}

/// A way from one clock to another.
#[derive(Clone, Copy)]
struct Case {
    hops: u32,
    snapshots: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hops, snapshots } = self;
        write!(f, "hops {hops}, snapshots {snapshots}")
    }
}

fn cases() -> impl Iterator<Item = Case> {
    (1..=3).flat_map(|hops| [1, 100, 100_000].map(|snapshots| Case { hops, snapshots }))
}

impl Case {
    /// Clocks that drift apart, each read together with the next at regular intervals.
    fn converter(self, how: Interpolation) -> Converter {
        let interval = TIMESTAMPS * STEP / self.snapshots;
        let hop = |hop| {
            let mut edge = Edge::default();
            for snapshot in 0..self.snapshots {
                let drift = 1_000_000_000 + (snapshot * 3) as i64;
                let ns = (snapshot * interval) as i64 + i64::from(hop) * drift;
                assert!(edge.push(ns, ns + drift));
            }
            Arc::new(edge)
        };
        Converter::new((0..self.hops).map(hop).collect(), how)
    }
}

fn in_order() -> Vec<i64> {
    (0..TIMESTAMPS).map(|index| (index * STEP) as i64).collect()
}

/// The column in an order that is always the same: steps of a prime around the ring.
fn in_no_order() -> Vec<i64> {
    const PRIME: usize = 611_953;
    (0..TIMESTAMPS).map(|index| ((index * PRIME) % TIMESTAMPS * STEP) as i64).collect()
}

fn measure(bencher: Bencher<'_, '_>, column: &[i64], work: impl Fn(&mut Vec<i64>) + Sync) {
    bencher
        .counter(BytesCount::of_slice(column))
        .counter(ItemsCount::new(column.len()))
        .with_inputs(|| column.to_vec())
        .bench_values(|mut column| {
            work(&mut column);
            column
        });
}

fn convert(bencher: Bencher<'_, '_>, case: Case, how: Interpolation, column: &[i64]) {
    let converter = case.converter(how);
    converter.convert_one(0);
    measure(bencher, column, |column| converter.convert(column));
}

#[divan::bench(sample_size = 1)]
fn copied(bencher: Bencher<'_, '_>) {
    let column = in_order();
    measure(bencher, &column, |target| target.copy_from_slice(divan::black_box(&column)));
}

#[divan::bench(args = cases(), sample_size = 1)]
fn nearest(bencher: Bencher<'_, '_>, case: Case) {
    convert(bencher, case, Interpolation::Nearest, &in_order());
}

#[divan::bench(args = cases(), sample_size = 1)]
fn linear(bencher: Bencher<'_, '_>, case: Case) {
    convert(bencher, case, Interpolation::Linear, &in_order());
}

#[divan::bench(args = cases().filter(|case| case.hops == 1), sample_size = 1, sample_count = 20)]
fn prepared(bencher: Bencher<'_, '_>, case: Case) {
    bencher
        .with_inputs(|| case.converter(Interpolation::Linear))
        .bench_refs(|converter| converter.convert_one(0));
}

#[divan::bench(args = cases().filter(|case| case.hops == 1), sample_size = 1, sample_count = 20)]
fn shuffled(bencher: Bencher<'_, '_>, case: Case) {
    convert(bencher, case, Interpolation::Nearest, &in_no_order());
}
