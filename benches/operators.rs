//! Own steps of plans as there are more rows: what a row costs.
//!
//! Run: `cargo bench -p tpq-sql --bench operators`.
//!
//! Traces of 250,000, 500,000 and a million slices are made up in memory, on eight tracks, five
//! deep. Each statement runs several times on each, on one thread, and the fastest counts. Time
//! is per slice; the ratio is to the smallest trace: 1 where time grows with the rows alone.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and fails by panicking"
)]

use std::sync::Arc;
use std::time::Instant;

use tpq_sql::{Session, SessionOptions};
use tpq_tables::table::{SliceRow, TrackRow};
use tpq_tables::{Tables, TraceTables};

const SLICES: [u32; 3] = [250_000, 500_000, 1_000_000];
const TRACKS: u32 = 8;
const DEPTH: u32 = 5;
/// Times each statement runs.
const TURNS: usize = 5;
/// From one outermost slice of a track to the next, ns.
const STEP: i64 = 10_000;

/// Statements that set up what the others name.
const SETUP: &str = "
    CREATE PERFETTO VIEW outermost AS
    SELECT ts, dur, track_id, id AS outer_id FROM slice WHERE depth = 0;
    CREATE PERFETTO VIEW inner_ones AS
    SELECT ts, dur, track_id, id AS inner_id FROM slice WHERE depth = 2;
    CREATE VIRTUAL TABLE spans USING
    SPAN_JOIN(outermost PARTITIONED track_id, inner_ones PARTITIONED track_id);
    CREATE VIRTUAL TABLE covered USING
    SPAN_LEFT_JOIN(outermost PARTITIONED track_id, inner_ones PARTITIONED track_id);
";

const STATEMENTS: [(&str, &str); 6] = [
    ("ancestors", "SELECT sum(a.dur) FROM slice s JOIN ancestor_slice(s.id) a"),
    ("descendants", "SELECT sum(d.dur) FROM slice s JOIN descendant_slice(s.id) d"),
    ("span join", "SELECT sum(dur), sum(outer_id), sum(inner_id) FROM spans"),
    ("span left join", "SELECT sum(dur), sum(outer_id), sum(inner_id) FROM covered"),
    ("interval intersect", INTERSECT),
    ("depth-first search", SEARCH),
];

const INTERSECT: &str = "
    SELECT sum(c1) FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(
      (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'track_id', track_id)
       FROM slice WHERE depth = 0),
      (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'track_id', track_id)
       FROM slice WHERE depth = 2),
      '(track_id)'))
    WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')";

const SEARCH: &str = "
    SELECT count(c0) FROM __intrinsic_table_ptr(__intrinsic_dfs(
      (SELECT __intrinsic_graph_agg(parent_id, id) FROM slice WHERE parent_id IS NOT NULL),
      (SELECT __intrinsic_array_agg(id) FROM slice WHERE depth = 0)))
    WHERE __intrinsic_table_ptr_bind(c0, 'node_id')";

fn main() {
    println!("{:<20} {:>12} {:>10} {:>7}", "", "slices", "ns/slice", "ratio");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let sessions: Vec<_> = SLICES.iter().map(|&slices| (slices, session(slices))).collect();
    for (_, session) in &sessions {
        for statement in session.statements(SETUP).unwrap() {
            let rows = runtime.block_on(session.run(&statement)).unwrap();
            assert!(rows.is_none(), "what sets up gives no rows");
        }
    }
    for (name, sql) in STATEMENTS {
        let mut first = None;
        for (slices, session) in &sessions {
            let each = (0..TURNS).map(|_| {
                let started = Instant::now();
                runtime
                    .block_on(async { session.query(sql).await.unwrap().collect().await })
                    .unwrap();
                started.elapsed().as_nanos() as f64 / f64::from(*slices)
            });
            let each = each.fold(f64::INFINITY, f64::min);
            let ratio = each / *first.get_or_insert(each);
            println!("{name:<20} {slices:>12} {each:>10.0} {ratio:>7.2}");
        }
    }
}

fn session(slices: u32) -> Session {
    let options = SessionOptions { threads: Some(1), ..SessionOptions::default() };
    Session::new(Arc::new(trace(slices)), &options).unwrap()
}

/// Slices in the order of time, each but the innermost with one in it.
fn trace(slices: u32) -> TraceTables {
    let mut tables = Tables::default();
    let name = tables.strings.intern("step");
    for _ in 0..TRACKS {
        tables.track.push(TrackRow::default());
    }
    for row in 0..slices {
        let (nest, depth) = (row / DEPTH, row % DEPTH);
        let inwards = i64::from(depth) * 100;
        tables.slice.push(SliceRow {
            ts: i64::from(nest / TRACKS) * STEP + i64::from(nest % TRACKS) * 1_000 + inwards,
            dur: STEP - 1_000 - 2 * inwards,
            track_id: nest % TRACKS,
            name,
            depth,
            parent_id: (depth > 0).then(|| row - 1),
            ..SliceRow::default()
        });
    }
    tables.finish()
}
