//! Stage `clock`: raw timestamps become trace time, a whole column at a time.
//!
//! Run: `cargo bench -p tpq-clock --bench clock`
//!
//! `converted` is the kernel on a column in the order of time, as writers give it; `shuffled` the
//! same on a column in no order at all, which no recorder writes. `copied` is the baseline: the
//! same column copied by `copy_from_slice`, which reads and writes as much. The kernel works in
//! place, so the column of memory that divan shows for the others stays empty.

use std::fmt;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use tpq_clock::{Clock, ClockGraph, Converter, Reading};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

/// Timestamps of a column.
const TIMESTAMPS: usize = 1_000_000;
/// From one timestamp to the next, ns.
const STEP: usize = 1_000;
/// The first of a chain of custom clocks.
const FIRST_CLOCK: u32 = 128;

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
    fn converter(self) -> Converter {
        let clock = |hop| Clock::new(0, 0, FIRST_CLOCK + hop);
        let mut graph = ClockGraph::default();
        let interval = TIMESTAMPS * STEP / self.snapshots;
        for hop in 0..self.hops {
            for snapshot in 0..self.snapshots {
                let drift = 1_000_000_000 + (snapshot * 3) as i64;
                let ns = (snapshot * interval) as i64 + i64::from(hop) * drift;
                let from = Reading { clock: clock(hop), ns };
                let to = Reading { clock: clock(hop + 1), ns: ns + drift };
                graph.add_snapshot(&[from, to]).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        let path = graph.converter(clock(0), clock(self.hops));
        let path = path.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(path.hops(), self.hops as usize);
        path
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

#[divan::bench(sample_size = 1)]
fn copied(bencher: Bencher<'_, '_>) {
    let column = in_order();
    measure(bencher, &column, |target| target.copy_from_slice(divan::black_box(&column)));
}

#[divan::bench(args = cases(), sample_size = 1)]
fn converted(bencher: Bencher<'_, '_>, case: Case) {
    let converter = case.converter();
    measure(bencher, &in_order(), |column| converter.convert(column));
}

#[divan::bench(args = cases().filter(|case| case.hops == 1), sample_size = 1, sample_count = 20)]
fn shuffled(bencher: Bencher<'_, '_>, case: Case) {
    let converter = case.converter();
    measure(bencher, &in_no_order(), |column| converter.convert(column));
}
