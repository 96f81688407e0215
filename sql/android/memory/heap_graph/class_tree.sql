-- Java heap dumps as trees: the shortest path from a root to each object, merged by class name.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;
INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;
INCLUDE PERFETTO MODULE graphs.search;

-- An object on the shortest path from a root to it. Of equally short paths, the first counts, with
-- roots in the order of their class names and referenced objects in the order of their ids.
CREATE PERFETTO TABLE _heap_graph_object_min_depth_tree(
  -- Object; join with `heap_graph_object` on `id`.
  id JOINID(heap_graph_object.id),
  -- Previous object on the path; NULL for a root. Join with `heap_graph_object` on `id`.
  parent_id JOINID(heap_graph_object.id)
) AS
SELECT node_id AS id, parent_node_id AS parent_id
FROM graph_reachable_bfs!(
  (
    SELECT owner_id AS source_node_id, owned_id AS dest_node_id
    FROM heap_graph_reference
    WHERE owned_id IS NOT NULL AND id NOT IN (SELECT id FROM _excluded_refs)
    ORDER BY owned_id
  ),
  (
    SELECT object.id AS node_id
    FROM heap_graph_object AS object
    JOIN heap_graph_class AS class ON class.id = object.type_id
    WHERE object.root_type IS NOT NULL
    ORDER BY class.name, object.id
  )
)
ORDER BY node_id;

-- Path of class names of each object.
CREATE PERFETTO TABLE _heap_graph_path_hashes(
  -- Object; join with `heap_graph_object` on `id`.
  id JOINID(heap_graph_object.id),
  -- Hash of the path.
  path_hash LONG,
  -- Hash of the path without its last class; 0 for the path of a root.
  parent_path_hash LONG
) AS
SELECT id, path_hash, parent_path_hash
FROM _heap_graph_type_path_hash!(_heap_graph_object_min_depth_tree)
ORDER BY id;

-- Paths of class names with the number and size of their objects.
CREATE PERFETTO TABLE _heap_graph_path_hashes_aggregated AS
SELECT * FROM _heap_graph_path_hash_aggregate!(_heap_graph_path_hashes) ORDER BY path_hash;

-- A node for the objects of a class on the same path of class names, or for their native memory.
CREATE PERFETTO TABLE _heap_graph_class_tree(
  -- Time of the heap dump, ns in trace time.
  graph_sample_ts TIMESTAMP,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Unique id of the node.
  id LONG,
  -- Parent node; NULL for a root. Join with `_heap_graph_class_tree` on `id`.
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
  -- Hash of the path; join with `_heap_graph_path_hashes` on `path_hash`.
  path_hash_stable LONG
) AS
SELECT *
FROM _heap_graph_path_hashes_to_class_tree!(_heap_graph_path_hashes_aggregated)
ORDER BY id;

-- Returns the number of paths to the objects of each class, in descending order: `path_count`,
-- `object_count`, `total_size`, `total_native_size` and `class_name`. Sizes are in bytes.
CREATE PERFETTO MACRO _heap_graph_duplicate_objects_agg(
  -- Objects with `id` and `path_hash`.
  path_hashes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    count(DISTINCT __hashed.path_hash) AS path_count,
    count(*) AS object_count,
    sum(__object.self_size) AS total_size,
    sum(__object.native_size) AS total_native_size,
    coalesce(__class.deobfuscated_name, __class.name) AS class_name
  FROM $path_hashes AS __hashed
  JOIN heap_graph_object AS __object ON __object.id = __hashed.id
  JOIN heap_graph_class AS __class ON __class.id = __object.type_id
  GROUP BY coalesce(__class.deobfuscated_name, __class.name)
  ORDER BY path_count DESC
);
