-- Sums over subtrees.

-- Returns the sums of three integers over each node and all nodes below it: `id`, `parent_id`,
-- `total_count`, `total_size`, `total_native_size` and `depth`, which is 1 for a root.
CREATE PERFETTO MACRO _subtree_sums(
  -- Nodes with `id`, `parent_id` (NULL for a root), `self_count`, `self_size` and `native_size`.
  -- Each parent must be one of the nodes.
  nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH __nodes AS (
    SELECT id, parent_id, self_count, self_size, native_size FROM $nodes
  )
  SELECT
    id,
    idom_id AS parent_id,
    dominated_obj_count AS total_count,
    dominated_size_bytes AS total_size,
    dominated_native_size_bytes AS total_native_size,
    depth
  FROM __intrinsic_table_ptr((
    SELECT __intrinsic_tree_dominator_summary(
      __intrinsic_tree_from_table(
        'id', id,
        'parent_id', parent_id,
        'self_count', self_count,
        'self_size', self_size,
        'native_size', native_size
      )
    )
    FROM __nodes
  ))
);
