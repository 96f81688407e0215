-- What can be reached in graphs.

-- What a search visits: `node_id` and `parent_node_id`, the node it was reached from.
CREATE PERFETTO MACRO _graph_search(
  -- The function that searches.
  search ColumnName,
  -- The edges: `source_node_id` and `dest_node_id`.
  graph_table TableOrSubquery,
  -- The nodes to start at: `node_id`.
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

-- The nodes that can be reached, each once, in the order in which a search visits them that goes
-- on to the last node it saw: `node_id` and `parent_node_id`, the node it was reached from, NULL
-- for those to start at.
CREATE PERFETTO MACRO graph_reachable_dfs(
  -- The edges: `source_node_id` and `dest_node_id`, both small numbers from 0 on.
  graph_table TableOrSubquery,
  -- The nodes to start at: `node_id`.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  _graph_search!(__intrinsic_dfs, $graph_table, $start_nodes)
);

-- The same in the order in which a search visits them that goes on to the first node it saw, so
-- that each is reached over as few edges as there can be.
CREATE PERFETTO MACRO graph_reachable_bfs(
  -- The edges: `source_node_id` and `dest_node_id`, both small numbers from 0 on.
  graph_table TableOrSubquery,
  -- The nodes to start at: `node_id`.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  _graph_search!(__intrinsic_bfs, $graph_table, $start_nodes)
);

-- Nodes with the next one of the same parent: `node_id` and `next_node_id`, NULL for the last.
CREATE PERFETTO MACRO graph_next_sibling(
  -- The nodes: `node_id`, `node_parent_id` and `sort_key`, which puts those of one parent in order.
  graph_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    node_id,
    lead(node_id) OVER (PARTITION BY node_parent_id ORDER BY sort_key) AS next_node_id
  FROM $graph_table
);

-- The nodes that a search from each root comes to before the weights of the edges it took add up
-- to more than the root's target: `root_node_id`, `node_id` and `parent_node_id`, the node it was
-- reached from, NULL for the root.
CREATE PERFETTO MACRO graph_reachable_weight_bounded_dfs(
  -- The edges: `source_node_id`, `dest_node_id` and `edge_weight`.
  graph_table TableOrSubquery,
  -- The roots: `root_node_id` and `root_target_weight`.
  root_table TableOrSubquery,
  -- 1 if the node that goes beyond the target is part of the answer, 0 if not.
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
