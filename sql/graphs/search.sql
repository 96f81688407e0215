-- Searches in graphs.

-- Runs a graph search and returns the visited nodes: `node_id` and `parent_node_id`, the node from
-- which it was reached.
CREATE PERFETTO MACRO _graph_search(
  -- Function that searches.
  search ColumnName,
  -- Edges with `source_node_id` and `dest_node_id`.
  graph_table TableOrSubquery,
  -- Nodes to start from, with `node_id`.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __edges AS (SELECT source_node_id, dest_node_id FROM $graph_table),
    __starts AS (SELECT node_id FROM $start_nodes)
  SELECT node_id, parent_node_id
  FROM __intrinsic_table_ptr(
    $search(
      (SELECT __intrinsic_graph_agg(source_node_id, dest_node_id) FROM __edges),
      (SELECT __intrinsic_array_agg(node_id) FROM __starts)
    )
  )
);

-- Returns the reachable nodes in the order of a depth-first search, without duplicates: `node_id`
-- and `parent_node_id`, the node from which it was reached, NULL for start nodes.
CREATE PERFETTO MACRO graph_reachable_dfs(
  -- Edges with `source_node_id` and `dest_node_id`, both small numbers from 0.
  graph_table TableOrSubquery,
  -- Nodes to start from, with `node_id`.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  _graph_search!(__intrinsic_dfs, $graph_table, $start_nodes)
);

-- Returns the reachable nodes in the order of a breadth-first search, which reaches each node over
-- the fewest edges: `node_id` and `parent_node_id`, the node from which it was reached, NULL for
-- start nodes.
CREATE PERFETTO MACRO graph_reachable_bfs(
  -- Edges with `source_node_id` and `dest_node_id`, both small numbers from 0.
  graph_table TableOrSubquery,
  -- Nodes to start from, with `node_id`.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  _graph_search!(__intrinsic_bfs, $graph_table, $start_nodes)
);

-- Returns the next sibling of each node: `node_id` and `next_node_id`, NULL for the last sibling.
CREATE PERFETTO MACRO graph_next_sibling(
  -- Nodes with `node_id`, `node_parent_id` and `sort_key`, which orders siblings.
  graph_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    node_id,
    lead(node_id) OVER (PARTITION BY node_parent_id ORDER BY sort_key) AS next_node_id
  FROM $graph_table
);

-- Searches depth-first from each root until the sum of the edge weights exceeds the target of the
-- root. Output: `root_node_id`, `node_id` and `parent_node_id`, the node from which it was reached,
-- NULL for the root.
CREATE PERFETTO MACRO graph_reachable_weight_bounded_dfs(
  -- Edges with `source_node_id`, `dest_node_id` and `edge_weight`.
  graph_table TableOrSubquery,
  -- Roots with `root_node_id` and `root_target_weight`.
  root_table TableOrSubquery,
  -- 1 to include the node that exceeds the target, 0 to leave it out.
  is_target_weight_floor Expr
)
RETURNS TableOrSubquery AS
(
  WITH
    __edges AS (SELECT source_node_id, dest_node_id, edge_weight FROM $graph_table),
    __roots AS (SELECT root_node_id, root_target_weight FROM $root_table)
  SELECT __found.root_node_id, __found.node_id, __found.parent_node_id
  FROM __intrinsic_dfs_weight_bounded(
    (SELECT repeatedfield(source_node_id) FROM __edges),
    (SELECT repeatedfield(dest_node_id) FROM __edges),
    (SELECT repeatedfield(edge_weight) FROM __edges),
    (SELECT repeatedfield(root_node_id) FROM __roots),
    (SELECT repeatedfield(root_target_weight) FROM __roots),
    $is_target_weight_floor
  ) AS __found
);
