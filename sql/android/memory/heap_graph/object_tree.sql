-- Memory below each Java object in the tree of shortest paths.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;
INCLUDE PERFETTO MODULE graphs.subtree_sums;

-- An object with the objects below it in the tree of shortest paths, itself included. Unreachable
-- objects count for themselves.
CREATE PERFETTO TABLE _heap_graph_object_tree_aggregation(
  -- Object; join with `heap_graph_object` on `id`.
  id JOINID(heap_graph_object.id),
  -- Size of the objects in the Java heap, in bytes.
  cumulative_size LONG,
  -- Size of the native memory of the objects, in bytes.
  cumulative_native_size LONG,
  -- Number of objects.
  cumulative_count LONG
) AS
SELECT
  id,
  total_size AS cumulative_size,
  total_native_size AS cumulative_native_size,
  total_count AS cumulative_count
FROM _subtree_sums!((
  SELECT object.id, tree.parent_id, 1 AS self_count, object.self_size, object.native_size
  FROM heap_graph_object AS object
  LEFT JOIN _heap_graph_object_min_depth_tree AS tree ON tree.id = object.id
))
ORDER BY id;
