//! `graphs.*`

use super::{empty, lines};

/// Rows of a query on a table `g` of edges: `source_node_id`, `dest_node_id`, `edge_weight`.
fn of(module: &str, edges: &str, sql: &str) -> Vec<String> {
    let table = format!(
        "CREATE PERFETTO TABLE g AS SELECT column1 AS source_node_id, column2 AS dest_node_id, \
         column3 AS edge_weight FROM (VALUES {edges});"
    );
    lines(&empty(), module, &format!("{table} {sql}"))
}

/// 0 leads to 1 and 2, 1 leads to 3, 3 to 2 and back to 0; 5 leads to 6.
const EDGES: &str = "(0, 1, 1), (0, 2, 1), (1, 3, 1), (3, 2, 1), (3, 0, 1), (5, 6, 1)";

#[test]
fn reachable_nodes() {
    let from_0 = "(SELECT 0 AS node_id)";
    let sql = format!("SELECT * FROM graph_reachable_dfs!(g, {from_0}) ORDER BY node_id");
    // 2 is come to by way of 3, before 0 gets to it.
    assert_eq!(of("graphs.search", EDGES, &sql), ["0 NULL", "1 0", "2 3", "3 1"]);
    let sql = format!("SELECT * FROM graph_reachable_bfs!(g, {from_0}) ORDER BY node_id");
    assert_eq!(of("graphs.search", EDGES, &sql), ["0 NULL", "1 0", "2 0", "3 1"]);
}

#[test]
fn reachable_nodes_within_a_weight() {
    let edges = "(0, 1, 2), (1, 2, 2), (2, 3, 2)";
    let rows = |floor: u8| {
        let sql = format!(
            "SELECT node_id, parent_node_id FROM graph_reachable_weight_bounded_dfs!(g, \
             (SELECT 0 AS root_node_id, 3 AS root_target_weight), {floor}) ORDER BY node_id"
        );
        of("graphs.search", edges, &sql)
    };
    assert_eq!(rows(0), ["0 NULL", "1 0"]);
    assert_eq!(rows(1), ["0 NULL", "1 0", "2 1"]);
}

#[test]
fn the_next_of_one_parent() {
    let sql = "SELECT * FROM graph_next_sibling!((SELECT dest_node_id AS node_id, \
        source_node_id AS node_parent_id, -dest_node_id AS sort_key FROM g)) ORDER BY node_id";
    assert_eq!(
        of("graphs.search", "(0, 1, 0), (0, 2, 0), (0, 3, 0), (1, 4, 0)", sql),
        ["1 NULL", "2 1", "3 2", "4 NULL"]
    );
}

/// 1 and 2 both lead from 0 to 3, so that only 0 has to be passed.
#[test]
fn nodes_that_have_to_be_passed() {
    let sql = "SELECT * FROM graph_dominator_tree!(g, 0) ORDER BY node_id";
    let edges = "(0, 1, 0), (0, 2, 0), (1, 3, 0), (2, 3, 0), (3, 4, 0)";
    assert_eq!(of("graphs.dominator_tree", edges, sql), ["0 NULL", "1 0", "2 0", "3 0", "4 3"]);
}

/// 1, of group 1, is the root of 2 and 3; 4, of group 1, is in 3, of group 2.
#[test]
fn trees_of_groups() {
    let sql = "SELECT * FROM tree_structural_partition_by_group!((SELECT source_node_id AS id, \
        dest_node_id AS parent_id, edge_weight AS group_key FROM g)) ORDER BY id";
    let nodes = "(1, NULL, 1), (2, 1, 1), (3, 1, 2), (4, 3, 1)";
    assert_eq!(of("graphs.partition", nodes, sql), ["1 NULL 1", "2 1 1", "3 NULL 2", "4 1 1"]);
}

#[test]
fn nodes_with_all_above() {
    let sql = "SELECT * FROM _tree_reachable_ancestors_or_self!((SELECT source_node_id AS id, \
        dest_node_id AS parent_id FROM g), (SELECT 3 AS id)) ORDER BY id";
    let nodes = "(0, NULL, 0), (1, 0, 0), (2, 0, 0), (3, 1, 0)";
    assert_eq!(of("graphs.hierarchy", nodes, sql), ["0", "1", "3"]);
}

/// 1 is the root of 2 and 3, 3 of 4; 9 is alone.
#[test]
fn sums_of_subtrees() {
    let sql = "SELECT id, total_count, total_size, total_native_size, depth FROM _subtree_sums!((\
        SELECT source_node_id AS id, dest_node_id AS parent_id, 1 AS self_count, \
        edge_weight AS self_size, -edge_weight AS native_size FROM g)) ORDER BY id";
    let nodes = "(1, NULL, 10), (2, 1, 20), (3, 1, 30), (4, 3, 40), (9, NULL, 5)";
    assert_eq!(
        of("graphs.subtree_sums", nodes, sql),
        ["1 4 100 -100 1", "2 1 20 -20 2", "3 2 70 -70 2", "4 1 40 -40 3", "9 1 5 -5 1"]
    );
}

/// Two paths lead from 1 to 4.
const TWO_PATHS: &str = "(1, 2, 0), (1, 3, 0), (2, 4, 0), (3, 4, 0)";

#[test]
fn rows_of_every_path() {
    let sql = "SELECT * FROM _graph_scan!(g, (SELECT 1 AS id, 0 AS depth, 'from' AS path), \
        (depth, path), (SELECT t.id, t.depth + 1 AS depth, t.path || t.id AS path FROM $table t)) \
        ORDER BY id, path";
    assert_eq!(
        of("graphs.scan", TWO_PATHS, sql),
        ["1 0 from", "2 1 from2", "3 1 from3", "4 2 from24", "4 2 from34"]
    );
}

/// 4 has the rows of 2 and 3 and one of its own.
#[test]
fn sums_along_edges() {
    let sql = "SELECT * FROM _graph_aggregating_scan!(g, \
        (SELECT 1 AS id, 1 AS n UNION ALL SELECT 4, 10), (n), \
        (SELECT id, sum(n) AS n FROM $table GROUP BY id)) ORDER BY id";
    assert_eq!(of("graphs.scan", TWO_PATHS, sql), ["1 1", "2 1", "3 1", "4 12"]);
}
