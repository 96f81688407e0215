-- Memory that each Java object keeps alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.raw_dominator_tree;
INCLUDE PERFETTO MODULE graphs.subtree_sums;

-- A Java object that is reachable from a root, with the objects that it dominates: those that would
-- be unreachable without it, itself included.
CREATE PERFETTO TABLE heap_graph_dominator_tree(
  -- Object; join with `heap_graph_object` on `id`.
  id LONG,
  -- Immediate dominator; NULL for a root and for an object that several roots reach on separate
  -- paths. Join with `heap_graph_object` on `id`.
  idom_id LONG,
  -- Number of dominated objects.
  dominated_obj_count LONG,
  -- Size of the dominated objects in the Java heap, in bytes.
  dominated_size_bytes LONG,
  -- Size of the native memory of the dominated objects, in bytes.
  dominated_native_size_bytes LONG,
  -- Number of objects on the path of dominators to the object, itself included.
  depth LONG
) AS
SELECT
  id,
  parent_id AS idom_id,
  total_count AS dominated_obj_count,
  total_size AS dominated_size_bytes,
  total_native_size AS dominated_native_size_bytes,
  depth
FROM _subtree_sums!((
  SELECT
    tree.id, tree.idom_id AS parent_id, 1 AS self_count, object.self_size, object.native_size
  FROM _raw_heap_graph_dominator_tree AS tree
  JOIN heap_graph_object AS object ON object.id = tree.id
))
ORDER BY id;
