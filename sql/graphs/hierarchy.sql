-- Ancestors in trees.

INCLUDE PERFETTO MODULE graphs.search;

-- Returns nodes and all their ancestors, without duplicates: `id`.
CREATE PERFETTO MACRO _tree_reachable_ancestors_or_self(
  -- Nodes of the tree with `id` and `parent_id`, NULL for a root.
  tree TableOrSubquery,
  -- Nodes to start from, with `id`.
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
