//! Tables that are values: collected, worked on, and read again.

use super::{cells, rows, session};

/// The rows of a statement, a line each, columns separated by blanks.
async fn lines(sql: &str) -> Vec<String> {
    let table = rows(&session(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    cells(&table)
}

async fn error(sql: &str) -> String {
    rows(&session(), sql).await.unwrap_err().to_string()
}

/// All columns of a pointer under their names.
pub(super) fn read(pointer: &str, names: &[&str]) -> String {
    let columns = names.iter().enumerate().map(|(at, name)| format!("c{at} AS {name}"));
    let bound = names.iter().enumerate();
    let bound = bound.map(|(at, name)| format!("__intrinsic_table_ptr_bind(t.c{at}, '{name}')"));
    format!(
        "SELECT {} FROM __intrinsic_table_ptr({pointer}) t WHERE {}",
        columns.collect::<Vec<_>>().join(", "),
        bound.collect::<Vec<_>>().join(" AND ")
    )
}

const EDGES: &str = "(SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 3 UNION ALL SELECT 2, 4 \
                     UNION ALL SELECT 3, 4) ORDER BY a, b";

#[tokio::test]
async fn graphs_are_searched() {
    let pointer = |search: &str| {
        format!(
            "{search}((SELECT __intrinsic_graph_agg(a, b) FROM (SELECT * FROM {EDGES})), \
             (SELECT __intrinsic_array_agg(x) FROM (SELECT 1 AS x)))"
        )
    };
    let names = ["node_id", "parent_node_id"];
    let deep = lines(&read(&pointer("__intrinsic_dfs"), &names)).await;
    assert_eq!(deep, ["1", "2 1", "4 2", "3 1"]);
    let broad = lines(&read(&pointer("__intrinsic_bfs"), &names)).await;
    assert_eq!(broad, ["1", "2 1", "3 1", "4 2"]);
}

#[tokio::test]
async fn nothing_collected_is_an_empty_table() {
    let pointer = "__intrinsic_dfs(\
        (SELECT __intrinsic_graph_agg(id, id) FROM slice WHERE id < 0), \
        (SELECT __intrinsic_array_agg(id) FROM slice WHERE id < 0))";
    assert_eq!(lines(&read(pointer, &["node_id"])).await, [""; 0]);
    let tree = "(SELECT __intrinsic_dominator_tree(id, id, 0) FROM slice WHERE id < 0)";
    assert_eq!(lines(&read(tree, &["node_id"])).await, [""; 0]);
}

#[tokio::test]
async fn rows_are_collected_in_their_order() {
    // Three chunks, which two threads share.
    let sql = "EXPLAIN SELECT __intrinsic_array_agg(ts) FROM sched_slice";
    let plan = rows(&session(), sql).await.unwrap();
    assert!(plan.contains("InOrderExec"), "{plan}");
    let pointer = "__intrinsic_bfs(\
        (SELECT __intrinsic_graph_agg(id, id) FROM sched_slice), \
        (SELECT __intrinsic_array_agg(id) FROM sched_slice))";
    let nodes = read(pointer, &["node_id"]);
    let sql = format!(
        "SELECT count(*), count(*) FILTER (WHERE node_id = place) FROM \
         (SELECT node_id, row_number() OVER () - 1 AS place FROM ({nodes}))"
    );
    assert_eq!(lines(&sql).await, ["150000 150000"]);
}

#[tokio::test]
async fn trees_are_found_and_cut() {
    let tree = format!("(SELECT __intrinsic_dominator_tree(a, b, 1) FROM (SELECT * FROM {EDGES}))");
    let found = lines(&read(&tree, &["node_id", "dominator_node_id"])).await;
    assert_eq!(found, ["1", "2 1", "4 1", "3 1"]);
    let tree = "(SELECT __intrinsic_structural_tree_partition(id, parent, kind) FROM \
                (SELECT 0 AS id, NULL AS parent, 7 AS kind UNION ALL SELECT 1, 0, 8 \
                 UNION ALL SELECT 2, 1, 7))";
    let found = lines(&read(tree, &["node_id", "parent_node_id", "group_key"])).await;
    assert_eq!(found, ["0  7", "1  8", "2 0 7"]);
}

#[tokio::test]
async fn searches_stop_at_a_weight() {
    let of =
        |column: &str| format!("(SELECT RepeatedField({column}) FROM (SELECT * FROM {EDGES}))");
    let roots = "(SELECT RepeatedField(x) FROM (SELECT 1 AS x))";
    let target = "(SELECT RepeatedField(x) FROM (SELECT 6 AS x))";
    let sql = format!(
        "SELECT dt.root_node_id, dt.node_id, dt.parent_node_id \
         FROM __intrinsic_dfs_weight_bounded({}, {}, {}, {roots}, {target}, 0) dt",
        of("a"),
        of("b"),
        of("b")
    );
    // To 2 weighs 2, on to 4 weighs 4 more, and to 3 is too much.
    assert_eq!(lines(&sql).await, ["1 1", "1 2 1", "1 4 2"]);
}

#[tokio::test]
async fn intervals_of_tables_overlap() {
    let table = |rows: &str| {
        format!(
            "(SELECT __intrinsic_interval_tree_intervals_agg(i.id, i.ts, i.dur, 'cpu', i.cpu, \
             'name', i.name) FROM (SELECT * FROM ({rows}) ORDER BY ts) i)"
        )
    };
    let left = table(
        "SELECT 10 AS id, 0 AS ts, 10 AS dur, 0 AS cpu, 'a' AS name \
         UNION ALL SELECT 11, 5, 10, 1, 'a' UNION ALL SELECT 12, 0, 100, 0, NULL",
    );
    let right = table(
        "SELECT 20 AS id, 8 AS ts, 10 AS dur, 0 AS cpu, 'a' AS name \
         UNION ALL SELECT 21, 0, 6, 1, 'a' UNION ALL SELECT 22, 50, 0, 0, NULL",
    );
    let pointer = format!("__intrinsic_interval_intersect({left}, {right}, '(cpu, name)')");
    let names = ["ts", "dur", "id_0", "id_1", "id_2", "name", "cpu"];
    let sql = format!("{} ORDER BY ts", read(&pointer, &names));
    assert_eq!(lines(&sql).await, ["5 1 11 21  a 1", "8 2 10 20  a 0", "50 0 12 22   0"]);
}

#[tokio::test]
async fn intervals_of_one_table_overlap() {
    let rows = "(SELECT 7 AS id, 0 AS ts, 10 AS dur, 1.5 AS v UNION ALL SELECT 8, 5, 10, 3)";
    let agg = format!(
        "(SELECT __intrinsic_interval_tree_intervals_agg(i.id, i.ts, i.dur) FROM {rows} i)"
    );
    let pointer = format!("__intrinsic_interval_self_intersect({agg})");
    let names = ["ts", "dur", "group_id", "id", "interval_ends_at_ts"];
    let pieces = ["0 5 1 7 0", "5 5 2 7 0", "5 5 2 8 0", "10 5 3 8 0", "10 5 3 7 1", "15 0 4 8 1"];
    assert_eq!(lines(&read(&pointer, &names)).await, pieces);

    let agg =
        format!("(SELECT __intrinsic_isi_intervals_agg(i.ts, i.dur, i.v, 'k', 1) FROM {rows} i)");
    let pointer = format!("__intrinsic_interval_self_intersect_agg({agg}, '(k)')");
    let names = ["ts", "dur", "group_id", "cnt", "sum_value", "min_value", "max_value", "k"];
    let pieces = [
        "0 5 1 1 1.5 1.5 1.5 1",
        "5 5 2 2 4.5 1.5 3.0 1",
        "10 5 3 1 3.0 3.0 3.0 1",
        "15 0 4 0 0.0   1",
    ];
    assert_eq!(lines(&read(&pointer, &names)).await, pieces);
}

#[tokio::test]
async fn overlapping_intervals_are_counted_at_whole_times() {
    let counted = |ts: &str| {
        format!(
            "SELECT ts, value FROM __intrinsic_table_ptr((SELECT \
             __intrinsic_interval_overlap_count_agg({ts}, d) FROM (SELECT 1 AS t, 2 AS d UNION \
             ALL SELECT 2, 2 UNION ALL SELECT 4, -1)))"
        )
    };
    // Two intervals from 2 to 3; at 4 one ends and one without an end begins.
    let expected = ["1 1", "2 2", "3 1", "4 1"];
    assert_eq!(lines(&counted("t")).await, expected);
    assert_eq!(lines(&counted("t * 1.0")).await, expected);
    let found = error(&counted("t + 0.5")).await;
    assert!(found.contains("takes integers as ts"), "{found}");
}

#[tokio::test]
async fn intervals_are_made_of_starts_and_ends() {
    let set = |of: &str| format!("(SELECT __intrinsic_timestamp_set_agg(x) FROM ({of}))");
    let starts = set("SELECT 5 AS x UNION ALL SELECT 1 UNION ALL SELECT 9");
    let ends = set("SELECT 3 AS x UNION ALL SELECT 8");
    let pointer = format!("__intrinsic_create_intervals({starts}, {ends})");
    assert_eq!(lines(&read(&pointer, &["ts", "dur"])).await, ["1 2", "5 3"]);
}

#[tokio::test]
async fn values_of_counters_last() {
    let rows = "(SELECT 0 AS id, 10 AS ts, 4 AS track, 1.0 AS v UNION ALL SELECT 1, 30, 4, 3.0)";
    let pointer = format!(
        "__intrinsic_counter_intervals('leading', 100, (SELECT \
         __intrinsic_counter_per_track_agg(id, ts, track, v) FROM {rows}))"
    );
    let names = ["id", "ts", "dur", "track_id", "value", "next_value", "delta_value"];
    let found = lines(&read(&pointer, &names)).await;
    assert_eq!(found, ["0 10 20 4 1.0 3.0", "1 30 70 4 3.0  2.0"]);
}

#[tokio::test]
async fn columns_that_are_not_bound_have_their_own_names() {
    let starts =
        "(SELECT __intrinsic_timestamp_set_agg(x) FROM (SELECT 5 AS x UNION ALL SELECT 1))";
    let ends = "(SELECT __intrinsic_timestamp_set_agg(x) FROM (SELECT 3 AS x UNION ALL SELECT 8))";
    let pointer = format!("__intrinsic_create_intervals({starts}, {ends})");
    let found = lines(&format!("SELECT dur, ts FROM __intrinsic_table_ptr({pointer})")).await;
    assert_eq!(found, ["2 1", "3 5"]);
}

#[tokio::test]
async fn unreadable_pointers_are_errors() {
    let set = "(SELECT __intrinsic_timestamp_set_agg(ts) FROM slice)";
    assert_eq!(
        error(&read(set, &["nothing"])).await,
        "the table of __intrinsic_table_ptr() has no column called nothing"
    );
    assert_eq!(
        error(&read("5", &["ts"])).await,
        "__intrinsic_table_ptr() takes the result of a table operator"
    );
}
