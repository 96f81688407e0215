-- Memory of Java heap dumps by class.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;
INCLUDE PERFETTO MODULE graphs.partition;

-- Objects with no dominator of their own class. The sums of their dominated objects count no object
-- twice.
CREATE PERFETTO TABLE _heap_graph_topmost_of_class AS
WITH
  -- The tree needs a single root, which has no class.
  single_root AS (
    SELECT
      super_root.id,
      (SELECT max(id) + 1 FROM heap_graph_class) AS type_id
    FROM _heap_graph_super_root AS super_root
    WHERE super_root.id IS NOT NULL
  )
SELECT id
FROM tree_structural_partition_by_group!((
  SELECT
    tree.id, coalesce(tree.idom_id, single_root.id) AS parent_id, object.type_id AS group_key
  FROM heap_graph_dominator_tree AS tree
  JOIN heap_graph_object AS object ON object.id = tree.id
  CROSS JOIN single_root
  UNION ALL
  SELECT id, NULL, type_id FROM single_root
))
WHERE parent_id IS NULL
ORDER BY id;

-- Returns whether a class belongs to the core libraries of Java or Kotlin or to Android's
-- collections, or is an array of a primitive type. A class object belongs to its own class.
CREATE PERFETTO FUNCTION _heap_graph_is_core_class(
  -- Name of the class.
  name STRING
)
-- Whether the class does; NULL without a name.
RETURNS BOOL AS
SELECT
  ($name GLOB 'java.*' AND NOT $name GLOB 'java.lang.Class<*>')
  OR $name REGEXP '^(j[$]|kotlinx[.](coroutines|atomicfu))[.]'
  OR $name REGEXP '^(boolean|byte|char|double|float|int|long|short)\['
  OR $name GLOB 'android.util.*Array*';

-- Objects of a class in a heap dump.
CREATE PERFETTO TABLE android_heap_graph_class_aggregation(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Time of the heap dump, ns in trace time.
  graph_sample_ts TIMESTAMP,
  -- Class; join with `heap_graph_class` on `id`.
  type_id LONG,
  -- Name of the class, deobfuscated if possible.
  type_name STRING,
  -- Whether it is a class of the core libraries of Java, Kotlin or Android's collections, or an
  -- array of a primitive type.
  is_libcore_or_array BOOL,
  -- Number of objects.
  obj_count LONG,
  -- Size of the objects in the Java heap, in bytes.
  size_bytes LONG,
  -- Size of the native memory of the objects, in bytes.
  native_size_bytes LONG,
  -- Number of reachable objects.
  reachable_obj_count LONG,
  -- Size of the reachable objects in the Java heap, in bytes.
  reachable_size_bytes LONG,
  -- Size of the native memory of the reachable objects, in bytes.
  reachable_native_size_bytes LONG,
  -- Number of objects that the reachable objects of the class dominate, themselves included.
  dominated_obj_count LONG,
  -- Size of the dominated objects in the Java heap, in bytes.
  dominated_size_bytes LONG,
  -- Size of the native memory of the dominated objects, in bytes.
  dominated_native_size_bytes LONG
) AS
WITH
  named AS (
    SELECT
      id, coalesce(deobfuscated_name, name) AS name,
      _heap_graph_is_core_class(coalesce(deobfuscated_name, name)) AS is_libcore_or_array
    FROM heap_graph_class
  ),
  counted AS (
    SELECT
      object.upid,
      object.graph_sample_ts,
      object.type_id,
      count(*) AS obj_count,
      sum(object.self_size) AS size_bytes,
      sum(object.native_size) AS native_size_bytes,
      sum(object.reachable != 0) AS reachable_obj_count,
      sum(CASE WHEN object.reachable THEN object.self_size ELSE 0 END) AS reachable_size_bytes,
      sum(CASE WHEN object.reachable THEN object.native_size ELSE 0 END)
        AS reachable_native_size_bytes,
      coalesce(sum(topmost.dominated_obj_count), 0) AS dominated_obj_count,
      coalesce(sum(topmost.dominated_size_bytes), 0) AS dominated_size_bytes,
      coalesce(sum(topmost.dominated_native_size_bytes), 0) AS dominated_native_size_bytes
    FROM heap_graph_object AS object
    LEFT JOIN (
      SELECT tree.*
      FROM heap_graph_dominator_tree AS tree
      JOIN _heap_graph_topmost_of_class AS marked ON marked.id = tree.id
    ) AS topmost ON topmost.id = object.id
    GROUP BY object.upid, object.graph_sample_ts, object.type_id
  )
SELECT
  counted.upid,
  counted.graph_sample_ts,
  counted.type_id,
  named.name AS type_name,
  named.is_libcore_or_array,
  counted.obj_count,
  counted.size_bytes,
  counted.native_size_bytes,
  counted.reachable_obj_count,
  counted.reachable_size_bytes,
  counted.reachable_native_size_bytes,
  counted.dominated_obj_count,
  counted.dominated_size_bytes,
  counted.dominated_native_size_bytes
FROM counted
JOIN named ON named.id = counted.type_id
ORDER BY counted.upid, counted.graph_sample_ts, counted.type_id;
