-- Trees that are parted into several.

-- A tree parted by groups, so that each node's parent is the nearest one above it in the same
-- group: `id`, `parent_id`, NULL where there is none, and `group_key`.
CREATE PERFETTO MACRO tree_structural_partition_by_group(
  -- The nodes: `id`, `parent_id`, NULL for the only root, and `group_key`, all small numbers from
  -- 0 on.
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
