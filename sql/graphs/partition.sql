-- Partitioning of trees.

-- Partitions a tree by groups. The parent of each node becomes its nearest ancestor in the same
-- group. Output: `id`, `parent_id` (NULL without such an ancestor) and `group_key`.
CREATE PERFETTO MACRO tree_structural_partition_by_group(
  -- Nodes with `id`, `parent_id` (NULL for the only root) and `group_key`, all small numbers from
  -- 0.
  tree_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH __nodes AS (SELECT id, parent_id, group_key FROM $tree_table)
  SELECT node_id AS id, parent_node_id AS parent_id, group_key
  FROM __intrinsic_table_ptr(
    (SELECT __intrinsic_structural_tree_partition(id, parent_id, group_key) FROM __nodes)
  )
);
