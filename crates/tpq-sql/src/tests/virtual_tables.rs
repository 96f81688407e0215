//! Virtual tables, and the layouts of slices, used as Perfetto's page uses them.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{Tables, TraceTables};

use super::{cells, rows, session};
use crate::{Session, SessionOptions};

/// The rows of the last statement, a line each, columns separated by blanks.
async fn lines(session: &Session, sql: &str) -> Vec<String> {
    let table = rows(session, sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    cells(&table)
}

async fn error(session: &Session, sql: &str) -> String {
    rows(session, sql).await.unwrap_err().to_string()
}

/// Slices a [0, 10), b [10, 14) and c [16, 36) of depth 0, d [2, 5) and e [6, 9) of depth 1.
const SLICES: &str = "CREATE PERFETTO TABLE s AS \
    SELECT 1 AS id, 0 AS ts, 10 AS dur, 0 AS depth, 'a' AS name \
    UNION ALL SELECT 2, 10, 4, 0, 'b' UNION ALL SELECT 3, 16, 20, 0, 'c' \
    UNION ALL SELECT 4, 2, 3, 1, 'd' UNION ALL SELECT 5, 6, 3, 1, 'e'; \
    CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((\n\
        select id, ts, dur, ((0 * 2) + depth) as depth\n\
        from (SELECT * FROM s)\n\
        where dur > 0\n\
    ));";

#[tokio::test]
async fn slices_are_shown_by_window() {
    let session = session();
    let shown = |viewport: &str| {
        format!(
            "SELECT (z.ts / 16) * 16 AS ts, z.dur, z.count, s.name \
             FROM m({viewport}) z CROSS JOIN (SELECT * FROM s) s USING (id) \
             ORDER BY z.depth, z.ts"
        )
    };
    let sql = format!("{SLICES} {}", shown("-16, 64, 16"));
    assert_eq!(lines(&session, &sql).await, ["0 10 2 a", "16 20 1 c", "0 3 2 d"]);
    // c covers the start of the first window.
    assert_eq!(lines(&session, &shown("32, 64, 32")).await, ["16 20 1 c"]);
    assert_eq!(lines(&session, &shown("100, 200, 1")).await, [""; 0]);
    assert_eq!(lines(&session, "SELECT count(*) FROM m(0, 64, 1)").await, ["5"]);
    assert_eq!(lines(&session, "SELECT count(*) FROM m(NULL, 64, 1)").await, ["0"]);
}

#[tokio::test]
async fn viewports_can_be_columns_of_tables_before() {
    let session = session();
    // Nothing of depth 0 or 1 covers 16; slice 3 begins there.
    let sql = format!(
        "{SLICES} SELECT v.a, z.id, z.count FROM \
         (SELECT 0 AS a, 16 AS b UNION ALL SELECT 16, 32) v \
         JOIN m(v.a, v.b, v.b - v.a) z ORDER BY v.a, z.depth"
    );
    assert_eq!(lines(&session, &sql).await, ["0 1 2", "0 4 2", "16 3 1"]);
}

#[tokio::test]
async fn a_table_without_slices_shows_none() {
    let sql = "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((\
               select cast(0 as int) as id, cast(0 as bigint) as ts, cast(0 as bigint) as dur, \
               cast(0 as int) as depth where 0)); \
               SELECT * FROM m(-1000, 1000, 1)";
    assert_eq!(lines(&session(), sql).await, [""; 0]);
}

#[tokio::test]
async fn values_are_shown_by_window() {
    let session = session();
    let sql = "CREATE VIRTUAL TABLE c USING \n __intrinsic_counter_mipmap((\n \
               SELECT value + 0 AS value, ts FROM (SELECT 1000 AS ts, 5 AS value \
               UNION ALL SELECT 1500, -1 UNION ALL SELECT 9000, 3)\n ))\n; \
               SELECT min_value AS min, max_value AS max \
               FROM c(trace_start(), trace_end() + 1, trace_dur() + 1)";
    assert_eq!(lines(&session, sql).await, ["-1.0 5.0"]);
    // The value of 1500 lasts until 9000.
    let sql = "SELECT min_value, max_value, MAX(0, MIN(last_ts - 8000, 10000 - 8000)) AS ts, \
               last_value FROM c(8000, 10000, 500)";
    assert_eq!(lines(&session, sql).await, ["-1.0 -1.0 0 -1.0", "3.0 3.0 1000 3.0"]);
}

#[tokio::test]
async fn a_counter_without_values_is_zero() {
    let sql = "CREATE VIRTUAL TABLE c USING __intrinsic_counter_mipmap((\
               SELECT ts, dur AS value FROM slice WHERE id < 0)); \
               SELECT * FROM c(trace_start(), trace_end() + 1, trace_dur() + 1)";
    assert_eq!(lines(&session(), sql).await, ["0.0 0.0 0 0.0"]);
}

#[tokio::test]
async fn windows_are_a_table() {
    let session = session();
    let sql = "CREATE VIRTUAL TABLE w USING __intrinsic_window(-10, 30, 10); SELECT * FROM w";
    assert_eq!(lines(&session, sql).await, ["-10 10 0", "0 10 1", "10 10 2"]);
    let sql = "CREATE PERFETTO VIEW one AS SELECT -5 AS ts, 10 AS dur, 'a' AS name; \
               CREATE VIRTUAL TABLE j USING span_join(one, w); \
               SELECT ts, dur, name, quantum_ts FROM j ORDER BY ts";
    assert_eq!(lines(&session, sql).await, ["-5 5 a 0", "0 5 a 1"]);
    // A span join is of the table that has the name when the join is read.
    let sql = "drop table w; create virtual table w\n using __intrinsic_window(0, 3, 0); \
               SELECT ts, dur, name, quantum_ts FROM j";
    assert_eq!(lines(&session, sql).await, ["0 3 a 0"]);
    let sql = "CREATE VIRTUAL TABLE none USING __intrinsic_window(0, 0, 1); \
               SELECT count(*) FROM none";
    assert_eq!(lines(&session, sql).await, ["0"]);
}

#[tokio::test]
async fn windows_are_in_the_order_of_time() {
    let sql = "CREATE VIRTUAL TABLE w USING __intrinsic_window(0, 100000, 1); \
               EXPLAIN SELECT * FROM w ORDER BY ts";
    let plan = rows(&session(), sql).await.unwrap();
    assert!(!plan.contains("SortExec"), "{plan}");
}

/// main(1) with 1 sample calls read(2) with 4 and read(3) with 8.
const FRAMES: &str = "CREATE VIRTUAL TABLE f USING __intrinsic_flamegraph((\n\
    select s.id, s.parentId as parent_id, s.name, s.value, s.mapping_name\n\
    from (select *, self_count as value from (\
        select 1 AS id, NULL AS parentId, 'main' AS name, 1 AS self_count, 'app' AS mapping_name \
        UNION ALL select 2, 1, 'read', 4, 'libc' UNION ALL select 3, 1, 'read', 8, 'libc')) s\n\
    ));";

#[tokio::test]
async fn samples_are_shown_as_flamegraphs() {
    let session = session();
    let root = "select cumulative_value\n from f(__intrinsic_flamegraph_config(\n\
                'value', 'value',\n 'view', 'TOP_DOWN'\n))\n\
                where __intrinsic_flamegraph_find(_tree_id, 'SUPER_ROOT')";
    assert_eq!(lines(&session, &format!("{FRAMES} {root}")).await, ["13"]);
    let sql = "select _tree_id as id, IFNULL(_tree_parent_id, -1) as parentId, depth, \
               IIF(IFNULL(name, '') = '', 'unknown', name) as name, self_value as selfValue, \
               cumulative_value as cumulativeValue, \
               parent_cumulative_value as parentCumulativeValue, x_start as xStart, \
               x_end as xEnd, mapping_name, n \
               from f(__intrinsic_flamegraph_config('view', 'TOP_DOWN', 'value', 'value', \
               'filter', 'HIDE_STACK', 'nothing', 'i', 'grouping', 'mapping_name', \
               'aggregate', 'SUM', 'value', 'n')) \
               where cumulative_value > 0";
    let shown = ["1 -1 1 main 1 13  0 13 app 1", "2 1 2 read 12 12 13 0 12 libc 12"];
    assert_eq!(lines(&session, sql).await, shown);
    let sql = "SELECT t.name, t.depth FROM f(__intrinsic_flamegraph_config(\
               'view', 'PIVOT', 'view_pattern', '^read$', '', 'value', 'value')) t \
               WHERE t.depth < 0";
    assert_eq!(lines(&session, sql).await, ["read -1", "main -2"]);
    let sql = "SELECT r.name, t.depth, t.cumulative_value FROM (SELECT 'x' AS name) r, \
               f(__intrinsic_flamegraph_config('value', 'value')) t \
               WHERE t.depth = 0 OR __intrinsic_flamegraph_find(t._tree_id, 'SUPER_ROOT')";
    assert_eq!(lines(&session, sql).await, ["x 0 13"]);
}

#[tokio::test]
async fn wrong_flamegraphs_are_errors() {
    let session = session();
    let config = |args: &str| format!("SELECT * FROM f(__intrinsic_flamegraph_config({args}))");
    let view = format!("{FRAMES} {}", config("'value', 'value', 'view', 'SIDEWAYS'"));
    assert_eq!(
        error(&session, &view).await,
        "__intrinsic_flamegraph_config() has no view 'SIDEWAYS': the views are TOP_DOWN, \
         BOTTOM_UP, FROM_FRAME and PIVOT"
    );
    assert_eq!(
        error(&session, &config("'value', 1")).await,
        "a flamegraph takes __intrinsic_flamegraph_config() with texts as arguments"
    );
    assert_eq!(
        error(&session, &config("'value', 'weight'")).await,
        "__intrinsic_flamegraph: the query has no column called weight"
    );
    assert_eq!(
        error(&session, "SELECT * FROM f('value')").await,
        "a flamegraph takes the result of __intrinsic_flamegraph_config()"
    );
}

#[tokio::test]
async fn virtual_tables_are_created_and_dropped_like_others() {
    let session = session();
    assert_eq!(lines(&session, &format!("{SLICES} SELECT count(*) FROM m(0, 9, 9)")).await, ["2"]);
    assert_eq!(error(&session, SLICES).await, "`s` exists already");
    let create = "VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT id, ts, dur, 7 FROM s))";
    assert_eq!(error(&session, &format!("CREATE {create}; SELECT 1")).await, "`m` exists already");
    let replaced = format!("CREATE OR REPLACE {create}; SELECT depth FROM m(0, 9, 9)");
    assert_eq!(lines(&session, &replaced).await, ["7"]);
    let columns: Vec<_> = session.describe("m").unwrap().columns;
    let columns: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["ts", "id", "count", "dur", "depth"]);
    let dropped = "DROP TABLE m; DROP TABLE IF EXISTS m; SELECT * FROM m(0, 9, 9)";
    assert!(rows(&session, dropped).await.is_err());
}

#[tokio::test]
async fn wrong_virtual_tables_are_errors() {
    let session = session();
    assert_eq!(
        error(&session, &format!("{SLICES} SELECT * FROM m(0, 9, 0)")).await,
        "in_window_step must be at least 1, this is 0"
    );
    assert_eq!(
        error(&session, "SELECT * FROM m(0, 9)").await,
        "m() takes 3 arguments, 2 were given"
    );
    assert_eq!(
        error(&session, "SELECT * FROM m").await,
        "`m` is a table function, and is used without arguments"
    );
    let create = |using: &str| format!("CREATE VIRTUAL TABLE x USING {using}; SELECT 1");
    assert_eq!(
        error(&session, &create("__intrinsic_slice_mipmap((SELECT id, ts FROM s))")).await,
        "__intrinsic_slice_mipmap: the query must give id, ts, dur, depth, it gives 2 columns"
    );
    assert_eq!(
        error(&session, &create("__intrinsic_counter_mipmap((SELECT ts FROM s))")).await,
        "__intrinsic_counter_mipmap: the query has no column called value"
    );
    assert_eq!(
        error(&session, &create("__intrinsic_counter_mipmap((SELECT ts, name AS value FROM s))"))
            .await,
        "__intrinsic_counter_mipmap: value must be a number"
    );
    assert_eq!(
        error(&session, &create("__intrinsic_window(0, -1, 1)")).await,
        "__intrinsic_window(): dur and quantum must not be negative, and the last window must \
         end before 2^63"
    );
    let frames = "__intrinsic_flamegraph((SELECT 1 AS id, 2 AS parent_id, 'a' AS name \
                  UNION ALL SELECT 2, 1, 'b'))";
    assert_eq!(
        error(&session, &create(frames)).await,
        "__intrinsic_flamegraph: some frames are their own callers"
    );
    // Nothing was created.
    assert!(rows(&session, "SELECT * FROM x").await.is_err());
}

/// Slices 1 [0, 10), 2 [2, 4), 3 [3, 20) and 4 [4, …).
const SPANS: &str = "(SELECT 1 AS id, 0 AS ts, 10 AS dur UNION ALL SELECT 2, 2, 2 \
                     UNION ALL SELECT 3, 3, 17 UNION ALL SELECT 4, 4, -1)";

#[tokio::test]
async fn slices_are_stacked_by_a_window_function() {
    let session = session();
    let sql = format!(
        "SELECT id, INTERNAL_LAYOUT(ts, dur) OVER \
         (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS depth \
         FROM {SPANS} ORDER BY id"
    );
    assert_eq!(lines(&session, &sql).await, ["1 0", "2 1", "3 2", "4 1"]);
    let sql = format!(
        "SELECT id, internal_layout(ts, COALESCE(dur, -1)) OVER (PARTITION BY id % 2 \
         ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS depth \
         FROM {SPANS} ORDER BY id"
    );
    assert_eq!(lines(&session, &sql).await, ["1 0", "2 0", "3 1", "4 0"]);
    let sql = format!(
        "SELECT IFNULL(depth, 0) + 1 AS rowCount FROM (SELECT internal_layout(ts, 0) OVER \
         (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS depth FROM {SPANS}) \
         ORDER BY depth DESC LIMIT 1"
    );
    assert_eq!(lines(&session, &sql).await, ["1"]);
    let sql = format!("SELECT internal_layout(ts, dur) OVER (ORDER BY -ts) FROM {SPANS}");
    assert_eq!(
        error(&session, &sql).await,
        "internal_layout() takes slices in the order of time: write ORDER BY ts"
    );
}

/// ```text
/// track 0   a(0) 0 ──────────── 100
///             b(1) 10 ── 40
/// track 1   c(2)      50 ─ 60
/// track 2   d(3) 0 ───────────────── (no end)
/// ```
fn tracks() -> TraceTables {
    let mut tables = Tables::default();
    let slices =
        [(0, 100, 0, 0, None), (10, 30, 0, 1, Some(0)), (50, 10, 1, 0, None), (0, -1, 2, 0, None)];
    for (ts, dur, track_id, depth, parent_id) in slices {
        let slice = SliceRow { ts, dur, track_id, depth, parent_id, ..SliceRow::default() };
        tables.slice.push(slice);
    }
    for _ in 0..3 {
        tables.track.push(TrackRow::default());
    }
    tables.finish()
}

#[tokio::test]
async fn slices_of_several_tracks_are_stacked() {
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    let session = Session::new(Arc::new(tracks()), &options).unwrap();
    // a with b is the highest. d begins before c.
    let sql = "SELECT * FROM experimental_slice_layout('0,1,2')";
    assert_eq!(lines(&session, sql).await, ["0 0", "1 1", "2 3", "3 2"]);
    assert_eq!(lines(&session, "SELECT * FROM experimental_slice_layout('')").await, [""; 0]);
    let sql = "SELECT t.name, s.id, layout_depth AS depth \
               FROM (SELECT 'x' AS name, '1, 2' AS trackIds) t \
               JOIN experimental_slice_layout(t.trackIds) s ORDER BY s.id";
    assert_eq!(lines(&session, sql).await, ["x 2 1", "x 3 0"]);
    let sql = "create perfetto function highest(track_ids STRING) returns INT AS \
               select max(layout_depth) from experimental_slice_layout($track_ids); \
               SELECT highest('0,1,2'), highest('2')";
    assert_eq!(lines(&session, sql).await, ["3 0"]);
    assert_eq!(
        error(&session, "SELECT * FROM experimental_slice_layout('1,x')").await,
        "experimental_slice_layout(): 'x' is not the id of a track"
    );
    assert_eq!(
        error(&session, "SELECT * FROM experimental_slice_layout(1)").await,
        "experimental_slice_layout(): track_ids must be text"
    );
}
