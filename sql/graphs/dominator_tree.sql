-- Nodes of graphs that every way to another node goes through.

-- The nodes that can be reached from the root, each with the last node before it that every way
-- there goes through: `node_id` and `dominator_node_id`, NULL for the root.
CREATE PERFETTO MACRO graph_dominator_tree(
  -- The edges: `source_node_id` and `dest_node_id`, both small numbers from 0 on. Nodes that
  -- cannot be reached from the root must not have edges to those that can.
  graph_table TableOrSubquery,
  -- The root.
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
