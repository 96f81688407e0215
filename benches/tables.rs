//! Stage `tables`: rows become columns, columns are frozen, batches are read from them.
//!
//! Run: `cargo bench -p tpq-tables --bench tables`
//!
//! Items are rows, or strings. In each group `copied` is the baseline: as many bytes copied as
//! went in, or for reading as came out.

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use tpq_tables::table::SchedSliceRow;
use tpq_tables::{StringId, StringPool, Table, Tables};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const ROWS: u32 = 1_000_000;
const THREADS: u32 = 500;
const CPUS: u32 = 8;

fn main() {
    divan::main();
}

fn rows(end_state: StringId) -> Vec<SchedSliceRow> {
    let row = |index: u32| SchedSliceRow {
        ts: i64::from(index) * 7_000,
        dur: i64::from(index % 1_000) * 50,
        utid: index.wrapping_mul(7_919) % THREADS,
        end_state: if index.is_multiple_of(4) { StringId::NULL } else { end_state },
        priority: 120,
        ucpu: index % CPUS,
    };
    (0..ROWS).map(row).collect()
}

fn built() -> Tables {
    let mut tables = Tables::default();
    let end_state = tables.strings.intern("S");
    for row in rows(end_state) {
        tables.sched_slice.push(row);
    }
    tables
}

fn copied(bencher: Bencher<'_, '_>, bytes: usize) {
    let source = vec![1u8; bytes];
    bencher
        .counter(BytesCount::new(bytes))
        .with_inputs(|| source.clone())
        .bench_refs(|target| target.copy_from_slice(divan::black_box(&source)));
}

/// Rows of `sched_slice` pushed into its builder.
mod build {
    use super::*;

    #[divan::bench(name = "copied", sample_size = 1)]
    fn baseline(bencher: Bencher<'_, '_>) {
        copied(bencher, ROWS as usize * size_of::<SchedSliceRow>());
    }

    #[divan::bench(sample_size = 1)]
    fn pushed(bencher: Bencher<'_, '_>) {
        let rows = rows(StringId(1));
        let push = || {
            let mut tables = Tables::default();
            for &row in divan::black_box(&rows) {
                tables.sched_slice.push(row);
            }
            tables
        };
        bencher.counter(BytesCount::of_slice(&rows)).counter(ItemsCount::new(ROWS)).bench(push);
    }
}

/// The builder of `sched_slice` frozen, its columns narrowed.
mod finish {
    use super::*;

    #[divan::bench(name = "copied", sample_size = 1)]
    fn baseline(bencher: Bencher<'_, '_>) {
        copied(bencher, ROWS as usize * size_of::<SchedSliceRow>());
    }

    #[divan::bench(sample_size = 1)]
    fn finished(bencher: Bencher<'_, '_>) {
        bencher
            .counter(BytesCount::of_many::<SchedSliceRow>(ROWS as usize))
            .counter(ItemsCount::new(ROWS))
            .with_inputs(built)
            .bench_values(Tables::finish);
    }
}

/// All of `sched_slice` read, a chunk at a time.
mod read {
    use super::*;

    /// Reads every chunk; gives the bytes of the widened columns.
    fn read_all(table: &Table) -> usize {
        let all: Vec<usize> = (0..table.decl().columns.len()).collect();
        let read = |chunk| {
            let batch = table.read(chunk, 0..table.chunk_rows(chunk), &all);
            batch.map_or(0, |batch| batch.get_array_memory_size())
        };
        (0..table.num_chunks()).map(read).sum()
    }

    /// Every column is 8 bytes wide in SQL, strings are 16.
    const ROW_BYTES: usize = 6 * 8 + 16;

    #[divan::bench(name = "copied", sample_size = 1)]
    fn baseline(bencher: Bencher<'_, '_>) {
        copied(bencher, ROWS as usize * ROW_BYTES);
    }

    #[divan::bench(sample_size = 1)]
    fn widened(bencher: Bencher<'_, '_>) {
        let tables = built().finish();
        let Some(table) = tables.get("sched_slice") else { return };
        bencher
            .counter(BytesCount::new(ROWS as usize * ROW_BYTES))
            .counter(ItemsCount::new(ROWS))
            .bench(|| read_all(table));
    }
}

/// Names interned, most of which are known already.
mod strings {
    use super::*;

    const DISTINCT: u32 = 5_000;

    fn names() -> Vec<String> {
        let distinct = |index: u32| index.wrapping_mul(7_919) % DISTINCT;
        (0..ROWS).map(|index| format!("Component{}::DoSomething", distinct(index))).collect()
    }

    #[divan::bench(name = "copied", sample_size = 1)]
    fn baseline(bencher: Bencher<'_, '_>) {
        copied(bencher, names().iter().map(String::len).sum());
    }

    #[divan::bench(sample_size = 1)]
    fn interned(bencher: Bencher<'_, '_>) {
        let names = names();
        let intern = || {
            let mut pool = StringPool::default();
            for name in divan::black_box(&names) {
                pool.intern(name);
            }
            pool
        };
        bencher
            .counter(BytesCount::new(names.iter().map(String::len).sum::<usize>()))
            .counter(ItemsCount::new(ROWS))
            .bench(intern);
    }
}
