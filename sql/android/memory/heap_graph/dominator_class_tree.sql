-- Java heap dumps as trees: the dominators of each object, merged by class name.

INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;
INCLUDE PERFETTO MODULE android.memory.heap_graph.raw_dominator_tree;

-- Path of class names of each object, along its dominators.
CREATE PERFETTO TABLE _heap_graph_dominator_path_hashes(
  -- Object; join with `heap_graph_object` on `id`.
  id JOINID(heap_graph_object.id),
  -- Hash of the path.
  path_hash LONG,
  -- Hash of the path without its last class; 0 for the path of a root.
  parent_path_hash LONG
) AS
SELECT id, path_hash, parent_path_hash
FROM _heap_graph_type_path_hash!((
  SELECT id, idom_id AS parent_id FROM _raw_heap_graph_dominator_tree
))
ORDER BY id;

-- Paths of class names with the number and size of their objects.
CREATE PERFETTO TABLE _heap_graph_dominator_path_hashes_aggregated AS
SELECT *
FROM _heap_graph_path_hash_aggregate!(_heap_graph_dominator_path_hashes)
ORDER BY path_hash;

-- A node for the objects of a class on the same path of dominators, or for their native memory.
CREATE PERFETTO TABLE _heap_graph_dominator_class_tree(
  -- Time of the heap dump, ns in trace time.
  graph_sample_ts TIMESTAMP,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Unique id of the node.
  id LONG,
  -- Parent node; NULL for a root. Join with `_heap_graph_dominator_class_tree` on `id`.
  parent_id LONG,
  -- Name of the class, after `[native] ` for native memory.
  name STRING,
  -- Kind of root, such as `ROOT_JNI_GLOBAL`; NULL if the objects are no roots.
  root_type STRING,
  -- Heap of the objects, such as `HEAP_TYPE_APP`; `HEAP_TYPE_NATIVE` for native memory.
  heap_type STRING,
  -- Number of objects.
  self_count LONG,
  -- Size of the objects or of their native memory, in bytes.
  self_size LONG,
  -- Hash of the path; join with `_heap_graph_dominator_path_hashes` on `path_hash`.
  path_hash_stable LONG
) AS
SELECT *
FROM _heap_graph_path_hashes_to_class_tree!(_heap_graph_dominator_path_hashes_aggregated)
ORDER BY id;
