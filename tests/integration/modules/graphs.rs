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
