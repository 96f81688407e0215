-- Dominator trees of graphs. A dominator of a node is a node that every path from the root to it
-- contains.

-- Returns the immediate dominator of each node that is reachable from the root: `node_id` and
-- `dominator_node_id`, NULL for the root.
CREATE PERFETTO MACRO graph_dominator_tree(
  -- Edges with `source_node_id` and `dest_node_id`, both small numbers from 0. Unreachable nodes
  -- must not have edges to reachable nodes.
  graph_table TableOrSubquery,
  -- Id of the root node.
  root_node_id Expr
)
RETURNS TableOrSubquery AS
(
  WITH __edges AS (SELECT source_node_id, dest_node_id FROM $graph_table)
  SELECT node_id, dominator_node_id
  FROM __intrinsic_table_ptr(
    (SELECT __intrinsic_dominator_tree(source_node_id, dest_node_id, $root_node_id) FROM __edges)
  )
);
