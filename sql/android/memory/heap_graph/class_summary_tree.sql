-- Memory of Java heap dumps by path of class names.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;
INCLUDE PERFETTO MODULE graphs.subtree_sums;

-- A node for the objects of a class on the same path of class names from a root, or for their
-- native memory. The path of an object is the shortest.
CREATE PERFETTO TABLE android_heap_graph_class_summary_tree(
  -- Time of the heap dump, ns in trace time.
  graph_sample_ts TIMESTAMP,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Unique id of the node.
  id LONG,
  -- Parent node; NULL for a root. Join with `android_heap_graph_class_summary_tree` on `id`.
  parent_id LONG,
  -- Name of the class, after `[native] ` for native memory.
  name STRING,
  -- Kind of root, such as `ROOT_JNI_GLOBAL`; NULL if the objects are no roots.
  root_type STRING,
  -- Number of objects.
  self_count LONG,
  -- Size of the objects or of their native memory, in bytes.
  self_size LONG,
  -- Number of objects of this node and all nodes below it.
  cumulative_count LONG,
  -- Size of this node and all nodes below it, in bytes.
  cumulative_size LONG
) AS
SELECT
  node.graph_sample_ts, node.upid, node.id, node.parent_id, node.name, node.root_type,
  node.self_count, node.self_size,
  subtree.total_count AS cumulative_count,
  subtree.total_size AS cumulative_size
FROM _heap_graph_class_tree AS node
JOIN _subtree_sums!((
  SELECT id, parent_id, self_count, self_size, 0 AS native_size FROM _heap_graph_class_tree
)) AS subtree ON subtree.id = node.id
ORDER BY node.id;
