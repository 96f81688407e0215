-- The classes of Java heaps, with how much their objects take and keep alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;

INCLUDE PERFETTO MODULE graphs.scan;

-- Objects that have one of their own class above them among those that keep them alive: what they
-- keep alive counts for that one already.
CREATE PERFETTO TABLE _dominated_by_own_class AS
SELECT DISTINCT id
FROM _graph_scan!(
  (
    SELECT idom_id AS source_node_id, id AS dest_node_id
    FROM heap_graph_dominator_tree
    WHERE idom_id IS NOT NULL
  ),
  (
    SELECT tree.id, object.type_id AS above_type_id, 0 AS is_inner
    FROM heap_graph_dominator_tree AS tree
    JOIN heap_graph_object AS object ON object.id = tree.id
  ),
  (above_type_id, is_inner),
  (
    SELECT
      t.id,
      t.above_type_id,
      max(CASE WHEN object.type_id = t.above_type_id THEN 1 ELSE 0 END) AS is_inner
    FROM $table AS t
    JOIN heap_graph_object AS object ON object.id = t.id
    WHERE t.is_inner = 0
    GROUP BY t.id, t.above_type_id
  )
)
WHERE is_inner = 1;

-- A class's objects in one dump of a heap.
CREATE PERFETTO TABLE android_heap_graph_class_aggregation(
  -- The process.
  upid JOINID(process.id),
  -- When the heap was dumped.
  graph_sample_ts TIMESTAMP,
  -- The class, as in `heap_graph_class`.
  type_id LONG,
  -- The class's name, as its source has it where that is known.
  type_name STRING,
  -- Whether it is an array or a class of the language's own library.
  is_libcore_or_array BOOL,
  -- How many objects it has.
  obj_count LONG,
  -- Their size in bytes.
  size_bytes LONG,
  -- The native memory that belongs to them, in bytes.
  native_size_bytes LONG,
  -- How many of them can be reached.
  reachable_obj_count LONG,
  -- The size of those.
  reachable_size_bytes LONG,
  -- The native memory that belongs to those.
  reachable_native_size_bytes LONG,
  -- How many objects they keep alive, themselves included.
  dominated_obj_count LONG,
  -- The size of those.
  dominated_size_bytes LONG,
  -- The native memory that belongs to those.
  dominated_native_size_bytes LONG
) AS
WITH sums AS (
  SELECT
    object.upid,
    object.graph_sample_ts,
    object.type_id,
    count(*) AS obj_count,
    sum(object.self_size) AS size_bytes,
    sum(object.native_size) AS native_size_bytes,
    sum(CASE WHEN object.reachable = 1 THEN 1 ELSE 0 END) AS reachable_obj_count,
    sum(CASE WHEN object.reachable = 1 THEN object.self_size ELSE 0 END) AS reachable_size_bytes,
    sum(CASE WHEN object.reachable = 1 THEN object.native_size ELSE 0 END)
      AS reachable_native_size_bytes,
    sum(CASE WHEN inner_one.id IS NULL THEN tree.dominated_obj_count END) AS dominated_obj_count,
    sum(CASE WHEN inner_one.id IS NULL THEN tree.dominated_size_bytes END)
      AS dominated_size_bytes,
    sum(CASE WHEN inner_one.id IS NULL THEN tree.dominated_native_size_bytes END)
      AS dominated_native_size_bytes
  FROM heap_graph_object AS object
  LEFT JOIN heap_graph_dominator_tree AS tree ON tree.id = object.id
  LEFT JOIN _dominated_by_own_class AS inner_one ON inner_one.id = object.id
  GROUP BY object.upid, object.graph_sample_ts, object.type_id
),
named AS (
  SELECT sums.*, coalesce(class.deobfuscated_name, class.name) AS type_name
  FROM sums
  JOIN heap_graph_class AS class ON class.id = sums.type_id
)
SELECT
  upid,
  graph_sample_ts,
  type_id,
  type_name,
  type_name GLOB 'java.*'
    OR type_name GLOB 'j$.*'
    OR type_name GLOB 'kotlinx.coroutines.*'
    OR type_name GLOB 'kotlinx.atomicfu.*'
    OR type_name GLOB 'android.util.*Array*'
    OR type_name GLOB '*[[]]' AS is_libcore_or_array,
  obj_count,
  size_bytes,
  native_size_bytes,
  reachable_obj_count,
  reachable_size_bytes,
  reachable_native_size_bytes,
  dominated_obj_count,
  dominated_size_bytes,
  dominated_native_size_bytes
FROM named
ORDER BY upid, graph_sample_ts, type_id;
