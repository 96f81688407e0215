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
  SELECT c0 AS id, c1 AS parent_id, c2 AS group_key
  FROM __intrinsic_table_ptr((
    SELECT __intrinsic_structural_tree_partition(t.id, t.parent_id, t.group_key)
    FROM $tree_table AS t
  ))
  WHERE
    __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
    AND __intrinsic_table_ptr_bind(c2, 'group_key')
);
