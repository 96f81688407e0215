//! Functions on nested slices and the flows between them, called in every place a call can be.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{Tables, TraceTables};

use super::{cells, rows};
use crate::{Session, SessionOptions};

/// Two tracks, and flows that lead from one to the other and back:
///
/// ```text
/// track 0   a(0) 0 ─────────────────────────── 100   g(6) 100 ── 110
///             b(1) 10 ────── 40   d(3) 50 ─ 70         h(7) 100 ─ 105
///             c(2) 10 ─ 20
/// track 1                         e(4) 50 ──────────── (no end)
///                                   f(5) 60 ─ 65
/// flows     c → e, e → d, f → g
/// ```
fn trace() -> TraceTables {
    let mut tables = Tables::default();
    let slices = [
        ("a", 0, 100, 0, 0, None),
        ("b", 10, 30, 0, 1, Some(0)),
        ("c", 10, 10, 0, 2, Some(1)),
        ("d", 50, 20, 0, 1, Some(0)),
        ("e", 50, -1, 1, 0, None),
        ("f", 60, 5, 1, 1, Some(4)),
        ("g", 100, 10, 0, 0, None),
        ("h", 100, 5, 0, 1, Some(6)),
    ];
    for (name, ts, dur, track_id, depth, parent_id) in slices {
        let name = tables.strings.intern(name);
        let nested = SliceRow { ts, dur, track_id, depth, parent_id, ..SliceRow::default() };
        tables.slice.push(SliceRow { name, category: name, ..nested });
    }
    for (slice_out, slice_in) in [(2, 4), (4, 3), (5, 6)] {
        tables.flow.push(FlowRow { slice_out, slice_in, ..FlowRow::default() });
    }
    for _ in 0..2 {
        tables.track.push(TrackRow::default());
    }
    tables.finish()
}

fn session() -> Session {
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    Session::new(Arc::new(trace()), &options).unwrap()
}

/// The rows of a statement, a line each, columns separated by blanks.
async fn lines(sql: &str) -> Vec<String> {
    let table = rows(&session(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    cells(&table)
}

async fn error(sql: &str) -> String {
    rows(&session(), sql).await.unwrap_err().to_string()
}

#[tokio::test]
async fn ancestors_and_descendants() {
    // From the outermost inwards.
    assert_eq!(
        lines("SELECT id, name, cat, slice_id FROM ancestor_slice(2)").await,
        ["0 a a 0", "1 b b 1"]
    );
    assert_eq!(lines("SELECT id FROM ancestor_slice(0)").await, [""; 0]);
    // h begins where a ends, and is nested deeper, but in g.
    assert_eq!(lines("SELECT id FROM descendant_slice(0)").await, ["1", "2", "3"]);
    assert_eq!(lines("SELECT id FROM descendant_slice(1)").await, ["2"]);
    assert_eq!(lines("SELECT id FROM descendant_slice(6)").await, ["7"]);
    // A slice without end holds all that begins after it.
    assert_eq!(lines("SELECT id FROM descendant_slice(4)").await, ["5"]);
    assert_eq!(lines("SELECT id FROM descendant_slice(NULL)").await, [""; 0]);
    assert_eq!(lines("SELECT count(*) FROM descendant_slice(0)").await, ["3"]);
}

#[tokio::test]
async fn flows_are_followed_through_relatives() {
    let columns = "SELECT id, slice_out, slice_in";
    let following = lines(&format!("{columns} FROM following_flow(1)")).await;
    // c lies in b; f lies in e.
    assert_eq!(following, ["0 2 4", "1 4 3", "2 5 6"]);
    let preceding = lines(&format!("{columns} FROM preceding_flow(6)")).await;
    assert_eq!(preceding, ["0 5 6", "1 2 4"]);
    let direct = lines(&format!("{columns} FROM directly_connected_flow(4)")).await;
    assert_eq!(direct, ["0 2 4", "1 4 3"]);
    assert_eq!(lines("SELECT * FROM directly_connected_flow(0)").await, [""; 0]);
}

#[tokio::test]
async fn calls_see_the_tables_before_them() {
    let expected = ["b a", "c a", "c b", "d a", "f e", "h g"];
    for from in [
        "slice s JOIN ancestor_slice(s.id) a",
        "slice s, ancestor_slice(s.id) a",
        "slice s CROSS JOIN ancestor_slice(s.id) a",
        "slice s JOIN ancestor_slice(s.slice_id + 0) AS a ON a.depth < s.depth",
        "(SELECT * FROM slice) s JOIN ancestor_slice(s.id) a",
        "track t, slice s JOIN ancestor_slice(s.id) a WHERE t.id = s.track_id",
        "track t, slice s JOIN ancestor_slice(s.id) a ON t.id = s.track_id",
        "slice s, track t JOIN ancestor_slice(s.id) a WHERE t.id = s.track_id",
        "track t JOIN slice s ON t.id = s.track_id, ancestor_slice(s.id) a",
    ] {
        let sql = format!("SELECT s.name, a.name FROM {from} ORDER BY s.id, a.id");
        assert_eq!(lines(&sql).await, expected, "{from}");
    }
    // A name without the table's, where only one table has it, and the call without another name.
    let sql = "WITH s AS (SELECT id AS which FROM slice) SELECT which, name \
               FROM s JOIN ancestor_slice(which) ORDER BY which, ancestor_slice.id";
    assert_eq!(lines(sql).await, ["1 a", "2 a", "2 b", "3 a", "5 e", "7 g"]);
}

#[tokio::test]
async fn calls_of_calls() {
    let sql = "SELECT s.id, f.slice_in, a.name FROM slice s \
               JOIN following_flow(s.id) f JOIN ancestor_slice(f.slice_in) a \
               WHERE s.id >= 2 ORDER BY s.id, f.id, a.id";
    // From c to e, from e to d, which is in a; from f, which is in e, to g.
    assert_eq!(lines(sql).await, ["2 3 a", "4 3 a"]);
}

#[tokio::test]
async fn tables_after_the_call_may_use_what_it_gives() {
    let sql = "SELECT s.name, f.slice_in, t.name FROM slice s, directly_connected_flow(s.id) f \
               JOIN slice t ON t.id = f.slice_in WHERE s.id = 4 ORDER BY f.id";
    assert_eq!(lines(sql).await, ["e 4 e", "e 3 d"]);
}

#[tokio::test]
async fn left_joins_keep_rows_without_any() {
    let sql = "SELECT s.name, a.name, a.ts FROM slice s LEFT JOIN ancestor_slice(s.id) a \
               ORDER BY s.id, a.id";
    let kept = ["a", "b a 0", "c a 0", "c b 10", "d a 0", "e", "f e 50", "g", "h g 100"];
    let named: Vec<String> = lines(sql).await;
    assert_eq!(named, kept);
    let sql = "SELECT s.name, a.name FROM slice s LEFT JOIN ancestor_slice(s.id) a \
               ON a.depth + 1 = s.depth AND a.name != 'e' ORDER BY s.id, a.id";
    assert_eq!(lines(sql).await, ["a", "b a", "c b", "d a", "e", "f", "g", "h g"]);
    // What WHERE asks is asked of the NULLs too.
    let sql = "SELECT s.name FROM slice s LEFT JOIN ancestor_slice(s.id) a \
               WHERE a.id IS NULL ORDER BY s.id";
    assert_eq!(lines(sql).await, ["a", "e", "g"]);
}

#[tokio::test]
async fn calls_with_what_is_around_a_subquery() {
    let sql = "SELECT s.name FROM slice s \
               WHERE 'a' IN (SELECT name FROM ancestor_slice(3)) AND s.depth = 2";
    assert_eq!(lines(sql).await, ["c"]);
}

#[tokio::test]
async fn calls_may_be_on_the_row_around_a_subquery() {
    let sql = "SELECT s.name || ' ' || ifnull((SELECT sum(dur) FROM descendant_slice(s.id)), 0) \
               FROM slice s WHERE s.dur > 5 ORDER BY s.id";
    assert_eq!(lines(sql).await, ["a 60", "b 10", "c 0", "d 0", "g 5"]);
}

#[tokio::test]
async fn only_the_columns_asked_for_are_made() {
    let sql = "EXPLAIN SELECT a.name FROM slice s JOIN ancestor_slice(s.id) a WHERE s.dur > 5";
    let plan = rows(&session(), sql).await.unwrap();
    assert!(plan.contains("TableCallExec: ancestor_slice(id@0)"), "{plan}");
    // Neither a projection above the call, nor one column more than the id below it.
    let (_, physical) = plan.split_once("physical_plan").unwrap();
    assert!(!physical.contains("ProjectionExec: expr=[name"), "{plan}");
    assert!(plan.contains("projection=[id, dur]"), "{plan}");
    // Slices are filtered before the function is called, though it has a `dur` of its own.
    let filter = physical.find("FilterExec").unwrap();
    assert!(physical.find("TableCallExec").unwrap() < filter, "{plan}");
}

#[tokio::test]
async fn the_order_of_rows_is_that_of_the_input() {
    let sql = "EXPLAIN SELECT s.ts, a.name FROM slice s JOIN ancestor_slice(s.id) a ORDER BY s.ts";
    let plan = rows(&session(), sql).await.unwrap();
    assert!(!plan.contains("SortExec"), "{plan}");
}

#[tokio::test]
async fn invalid_calls_are_errors() {
    assert_eq!(
        error("SELECT * FROM ancestor_slice(8)").await,
        "ancestor_slice(): there is no slice with id 8"
    );
    assert_eq!(
        error("SELECT * FROM ancestor_slice('a')").await,
        "ancestor_slice(): id must be an integer"
    );
    assert_eq!(
        error("SELECT * FROM ancestor_slice()").await,
        "ancestor_slice() takes 1 arguments, 0 were given"
    );
    assert_eq!(
        error("SELECT * FROM slice s JOIN ancestor_slice(t.id)").await,
        "no table here is called `t`"
    );
}
