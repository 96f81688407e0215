//! Scans of graphs, trees as tables, and critical paths.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{Tables, TraceTables};

use super::pointers::read;
use super::{cells, rows, session};
use crate::{Session, SessionOptions};

async fn lines(sql: &str) -> Vec<String> {
    let table = rows(&session(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    cells(&table)
}

async fn error(sql: &str) -> String {
    rows(&session(), sql).await.unwrap_err().to_string()
}

/// A query for edges.
fn edges(edges: &[(i64, i64)]) -> String {
    let edges = edges.iter().map(|(from, to)| format!("SELECT {from} AS a, {to} AS b"));
    edges.collect::<Vec<_>>().join(" UNION ALL ")
}

/// 1 → 2 → 4 and 1 → 3 → 4.
fn diamond() -> String {
    edges(&[(1, 2), (1, 3), (2, 4), (3, 4)])
}

/// A scan of `edges` from the rows of `init`, which have an id and a column of name `column`.
fn scan(function: &str, edges: &str, init: &str, query: &str, column: &str) -> String {
    let query = query.replace('\'', "''");
    let pointer = format!(
        "__intrinsic_{function}(\
         (SELECT __intrinsic_graph_agg(e.a, e.b) FROM ({edges}) e), \
         (SELECT __intrinsic_row_dataframe_agg('id', i.id, '{column}', i.{column}) \
         FROM ({init}) i), '{query}', '({column})')"
    );
    read(&pointer, &["id", column])
}

const DEPTH_0: &str = "SELECT 1 AS id, 0 AS depth";
const DEEPER: &str = "(SELECT t.id, t.depth + 1 AS depth FROM $table t)";
const SUM: &str = "SELECT id, sum(total) AS total FROM $table GROUP BY id";

#[tokio::test]
async fn a_scan_follows_every_path() {
    let by_depth = scan("graph_scan", &diamond(), DEPTH_0, DEEPER, "depth");
    assert_eq!(lines(&by_depth).await, ["1 0", "2 1", "3 1", "4 2", "4 2"]);
    let plan = rows(&session(), &format!("EXPLAIN {by_depth}")).await.unwrap();
    assert!(
        plan.contains("GraphScanExec: Plain, run [") && plan.contains("StepTableExec"),
        "{plan}"
    );
    // Edges that are not reached, and no edges at all.
    let other = scan("graph_scan", &edges(&[(2, 1), (7, 1)]), DEPTH_0, DEEPER, "depth");
    assert_eq!(lines(&other).await, ["1 0"]);
    let none = scan(
        "graph_scan",
        "SELECT id AS a, id AS b FROM slice WHERE id < 0",
        DEPTH_0,
        DEEPER,
        "depth",
    );
    assert_eq!(lines(&none).await, ["1 0"]);
    let nowhere = "SELECT id, 0 AS depth FROM slice WHERE id < 0";
    let nothing = scan("graph_scan", &diamond(), nowhere, DEEPER, "depth");
    assert_eq!(lines(&nothing).await, [""; 0]);
}

#[tokio::test]
async fn the_query_ends_a_scan() {
    let cycle = edges(&[(1, 2), (2, 1)]);
    let query = "SELECT id, depth + 1 AS depth FROM $table WHERE depth < 2";
    let twice = scan("graph_scan", &cycle, DEPTH_0, query, "depth");
    assert_eq!(lines(&twice).await, ["1 0", "2 1", "1 2"]);
}

#[tokio::test]
async fn the_query_reads_other_tables() {
    let query =
        "SELECT t.id, t.path || '/' || s.name AS path FROM $table t JOIN slice s USING (id)";
    let init = "SELECT 0 AS id, 'start' AS path";
    let paths = scan("graph_scan", &edges(&[(0, 1), (1, 2)]), init, query, "path");
    assert_eq!(lines(&paths).await, ["0 start", "1 start/worker", "2 start/worker/app"]);
}

#[tokio::test]
async fn the_query_may_read_its_table_several_times() {
    let query = "SELECT id, (SELECT max(depth) FROM $table) + 1 AS depth FROM $table";
    let depths = scan("graph_scan", &diamond(), DEPTH_0, query, "depth");
    assert_eq!(lines(&depths).await, ["1 0", "2 1", "3 1", "4 2", "4 2"]);
    // Pairs of rows: (2, 2), (3, 2), (3, 3), then four of node 4.
    let query = "SELECT x.id, count(*) AS depth FROM $table x JOIN $table y ON x.id >= y.id \
                 GROUP BY x.id";
    let pairs = scan("graph_scan", &diamond(), DEPTH_0, query, "depth");
    let pairs = lines(&format!("{pairs} ORDER BY id")).await;
    assert_eq!(pairs, ["1 0", "2 1", "3 2", "4 4"]);
}

#[tokio::test]
async fn columns_have_one_type() {
    let halves = "SELECT id, depth + 0.5 AS depth FROM $table";
    let halves = scan("graph_scan", &diamond(), DEPTH_0, halves, "depth");
    assert_eq!(lines(&halves).await, ["1 0.0", "2 0.5", "3 0.5", "4 1.0", "4 1.0"]);
    let nulls = "SELECT id, coalesce(depth, 5) + 1 AS depth FROM $table";
    let nulls =
        scan("graph_scan", &edges(&[(1, 2)]), "SELECT 1 AS id, NULL AS depth", nulls, "depth");
    assert_eq!(lines(&nulls).await, ["1", "2 6"]);
    let text = "SELECT id, 'deep' AS depth FROM $table";
    assert_eq!(
        error(&scan("graph_scan", &diamond(), DEPTH_0, text, "depth")).await,
        "__intrinsic_graph_scan(): depth is LONG in the rows to start from and STRING in its query"
    );
}

#[tokio::test]
async fn the_query_may_be_long() {
    let query = format!("SELECT id, depth + 1 AS depth {} FROM $table", " ".repeat(2_000));
    let long = scan("graph_scan", &edges(&[(1, 2)]), DEPTH_0, &query, "depth");
    assert_eq!(lines(&long).await, ["1 0", "2 1"]);
}

#[tokio::test]
async fn scans_are_called_by_macros_and_in_functions() {
    let depths = |edges: &str, starts: &str, query: &str| {
        let pointer = format!(
            "__intrinsic_graph_scan((SELECT __intrinsic_graph_agg(a, b) FROM {edges}), \
             (SELECT __intrinsic_row_dataframe_agg('id', id, 'depth', 0) FROM {starts}), \
             {query}, '(depth)')"
        );
        read(&pointer, &["id", "depth"])
    };
    let body = depths("$edges", "$starts", "__intrinsic_stringify_ignore_table!($query)");
    let sql = format!(
        "CREATE PERFETTO MACRO depths(edges TableOrSubquery, starts TableOrSubquery, \
         query TableOrSubquery) RETURNS TableOrSubquery AS ({body}); \
         WITH e AS ({}), s AS (SELECT 2 AS id) SELECT * FROM depths!(e, s, \
         (SELECT id, depth + length('it''s') AS depth FROM $table))",
        diamond()
    );
    assert_eq!(lines(&sql).await, ["2 0", "4 4"]);
    let starts = "(SELECT $start AS id)";
    let body = depths(&format!("({})", diamond()), starts, &format!("'{DEEPER}'"));
    let sql = format!(
        "CREATE PERFETTO FUNCTION depths(start LONG) RETURNS TABLE(id LONG, depth LONG) AS {body}; \
         SELECT * FROM depths(3)"
    );
    assert_eq!(lines(&sql).await, ["3 0", "4 1"]);
}

#[tokio::test]
async fn an_aggregating_scan_computes_each_node_once() {
    // The longest path to 3 is over 2.
    let graph = edges(&[(1, 2), (1, 3), (2, 3), (3, 4), (7, 8)]);
    let sums = |init: &str| {
        let sums = scan("graph_aggregating_scan", &graph, init, SUM, "total");
        format!("{sums} ORDER BY id")
    };
    assert_eq!(lines(&sums("SELECT 1 AS id, 1 AS total")).await, ["1 1", "2 1", "3 2", "4 2"]);
    // The row of 3 is one of those that its query gets; 9 has no edges.
    let init = "SELECT 1 AS id, 1 AS total UNION ALL SELECT 3, 10 UNION ALL SELECT 9, 5";
    assert_eq!(lines(&sums(init)).await, ["1 1", "2 1", "3 12", "4 12", "9 5"]);
}

#[tokio::test]
async fn nodes_without_a_row_pass_nothing_on() {
    let query = format!("SELECT * FROM ({SUM}) WHERE id != 2");
    let graph = edges(&[(1, 2), (2, 3), (1, 4)]);
    let init = "SELECT 1 AS id, 1 AS total";
    let some = scan("graph_aggregating_scan", &graph, init, &query, "total");
    assert_eq!(lines(&some).await, ["1 1", "4 1"]);
}

#[tokio::test]
async fn invalid_scans_are_errors() {
    let init = "SELECT 1 AS id, 1 AS total";
    let sums =
        |graph: &str, query: &str| scan("graph_aggregating_scan", graph, init, query, "total");
    assert_eq!(
        error(&sums(&edges(&[(1, 2), (2, 3), (3, 2)]), SUM)).await,
        "graph scan: a cycle of the graph leads to node 2"
    );
    assert_eq!(
        error(&sums(&edges(&[(1, 2)]), "SELECT id - 1 AS id, total FROM $table")).await,
        "graph scan: the query gave a row for node 1, which is not in $table"
    );
    assert_eq!(
        error(&sums(&diamond(), "SELECT id FROM $table")).await,
        "__intrinsic_graph_aggregating_scan(): no column total in its query"
    );
    let unknown = error(&sums(&diamond(), "SELECT id, nothing AS total FROM $table")).await;
    assert!(unknown.contains("nothing"), "{unknown}");
    let misplaced = error("SELECT __intrinsic_graph_scan(1, 2, 'x', '(y)')").await;
    assert!(misplaced.contains("only allowed as FROM"), "{misplaced}");
}

#[tokio::test]
async fn trees_are_tables() {
    let tree = "(SELECT __intrinsic_tree_from_table('id', id, 'parent_id', up, 'name', name) FROM \
                (SELECT 8 AS id, 7 AS up, 'c' AS name UNION ALL SELECT 7, NULL, 'a' \
                 UNION ALL SELECT 9, 7, 'b'))";
    let pointer = format!("__intrinsic_tree_to_table({tree})");
    let names = ["_tree_id", "_tree_parent_id", "id", "parent_id", "name"];
    assert_eq!(lines(&read(&pointer, &names)).await, ["0  7  a", "1 0 8 7 c", "2 0 9 7 b"]);
    let cycle = "(SELECT __intrinsic_tree_from_table('id', id, 'parent_id', id) FROM \
                 (SELECT 1 AS id))";
    let pointer = format!("__intrinsic_tree_to_table({cycle})");
    assert_eq!(error(&read(&pointer, &["id"])).await, "tree: row 1 is its own ancestor");
}

#[tokio::test]
async fn dominators_have_the_sums_of_their_trees() {
    // 1 ── 2 ── 4
    //   └─ 3
    // 5
    let rows = "SELECT 1 AS id, NULL AS up, 10 AS size, 1 AS native UNION ALL SELECT 2, 1, 20, 0 \
                UNION ALL SELECT 3, 1, 5, 2 UNION ALL SELECT 4, 2, 7, 0 \
                UNION ALL SELECT 5, NULL, 100, 0";
    let summary = |filter: &str| {
        let pointer = format!(
            "(SELECT __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', id, \
             'parent_id', up, 'self_size', size, 'native_size', native, 'self_count', 1)) \
             FROM ({rows}) WHERE {filter})"
        );
        let names = [
            "id",
            "idom_id",
            "dominated_obj_count",
            "dominated_size_bytes",
            "dominated_native_size_bytes",
            "depth",
        ];
        read(&pointer, &names)
    };
    assert_eq!(
        lines(&summary("id > 0")).await,
        ["1  4 42 3 1", "2 1 2 27 0 2", "3 1 1 5 2 2", "4 2 1 7 0 3", "5  1 100 0 1"]
    );
    assert_eq!(lines(&summary("id < 0")).await, [""; 0]);
    let expected = "tree: no row has the id 2, which is a parent_id";
    assert_eq!(error(&summary("id != 2")).await, expected);
}

/// Three threads; `-` is a sleep that an interrupt ends:
///
/// ```text
///     0   10   20   30   40   50   60
/// A   ███████████░░░░░░░░░░░░░░███████    woken by B
/// B        ████████████████---████████    woken by A
/// C                   ██████░░░░░░░░██    woken by B, then by A
/// ```
fn trace() -> TraceTables {
    let mut tables = Tables::default();
    let [runnable, running, sleeping] = ["R", "Running", "S"].map(|it| tables.strings.intern(it));
    for tid in 0..3 {
        tables.thread.push(ThreadRow { tid, ..ThreadRow::default() });
    }
    let states = [
        (0, 2, 0, runnable, None),
        (2, 18, 0, running, None),
        (10, 3, 1, runnable, Some(1)),
        (13, 27, 1, running, None),
        (20, 30, 0, sleeping, None),
        (30, 1, 2, runnable, Some(3)),
        (31, 9, 2, running, None),
        (40, 5, 1, sleeping, None),
        (40, 15, 2, sleeping, None),
        // By an interrupt.
        (45, 1, 1, runnable, Some(6)),
        (46, 14, 1, running, None),
        (50, 2, 0, runnable, Some(10)),
        (52, 10, 0, running, None),
        (55, 1, 2, runnable, Some(12)),
        (56, 4, 2, running, None),
    ];
    for (ts, dur, utid, state, waker_id) in states {
        let irq_context = waker_id.map(|waker| u32::from(waker == 6));
        let state = ThreadStateRow { ts, dur, utid, state, waker_id, ..Default::default() };
        tables.thread_state.push(ThreadStateRow { irq_context, ..state });
    }
    tables.finish()
}

#[tokio::test]
async fn critical_paths_are_those_of_the_module() {
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    let session = Session::new(Arc::new(trace()), &options).unwrap();
    let include = "INCLUDE PERFETTO MODULE sched.thread_executing_span;";
    // Thread A waits for B. B's wait for the kernel belongs to the span of id 9 that follows it.
    let expected = [
        "0 0 0 20",
        "2 9 10 30",
        "5 5 30 10",
        "9 9 40 20",
        "11 9 20 30",
        "11 11 50 12",
        "13 9 40 10",
        "13 11 50 5",
        "13 13 55 5",
    ];
    let module = format!(
        "{include} SELECT root_id, id, ts, dur FROM _critical_path_by_roots!(\
         (SELECT id AS root_node_id, id - coalesce(prev_id, id) AS capacity FROM _wakeup_graph), \
         _wakeup_graph) ORDER BY root_id, ts"
    );
    assert_eq!(cells(&rows(&session, &module).await.unwrap()), expected);
    let pointer = "__intrinsic_critical_path_walk((SELECT __intrinsic_wakeup_graph_agg(\
        id, utid, ts, dur, idle_dur, waker_id, prev_id) FROM _wakeup_graph), \
        (SELECT __intrinsic_array_agg(id) FROM _wakeup_graph))";
    let path = read(pointer, &["root_id", "blocker_id", "ts", "dur"]);
    let path = format!("{include} {path} ORDER BY root_id, ts");
    assert_eq!(cells(&rows(&session, &path).await.unwrap()), expected);
    let names = ["root_id", "depth", "blocker_utid", "parent_id"];
    let of_one = format!("SELECT * FROM ({}) WHERE root_id = 13", read(pointer, &names));
    let of_one = cells(&rows(&session, &of_one).await.unwrap());
    assert_eq!(of_one, ["13 0 1 13", "13 0 0 13", "13 0 2 13"]);
}
