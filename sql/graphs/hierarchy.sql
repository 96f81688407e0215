-- Nodes of trees and what they are in.

INCLUDE PERFETTO MODULE graphs.search;

-- Nodes with all nodes above them, each once: `id`.
CREATE PERFETTO MACRO _tree_reachable_ancestors_or_self(
  -- The nodes: `id` and `parent_id`, NULL for a root.
  tree TableOrSubquery,
  -- The nodes to start at: `id`.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT node_id AS id
  FROM graph_reachable_dfs!(
    (
      SELECT id AS source_node_id, parent_id AS dest_node_id
      FROM $tree
      WHERE parent_id IS NOT NULL
    ),
    (SELECT id AS node_id FROM $start_nodes)
  )
);
