-- Java heap dumps as frames of a flamegraph.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;

-- Returns a frame for each object on its shortest path from a root, and one below it for its native
-- memory: `id`, `parent_id` (NULL for a root), `name`, `map_name`, `count`, `size` in bytes,
-- `alloc_count` and `alloc_size`, which are 0. The frames of an object with id n have the ids 2n
-- and 2n + 1.
CREATE PERFETTO MACRO _experimental_flamegraph_heap_graph_frames(
  -- Process, as in `heap_graph`.
  upid Expr,
  -- Time of the heap dump.
  ts Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    2 * __object.id + __kind.is_native AS id,
    CASE WHEN __kind.is_native THEN 2 * __object.id ELSE 2 * __tree.parent_id END AS parent_id,
    __kind.prefix
      || coalesce(__class.deobfuscated_name, __class.name)
      || coalesce(' [' || __object.root_type || ']', '') AS name,
    'JAVA' AS map_name,
    1 AS count,
    CASE WHEN __kind.is_native THEN __object.native_size ELSE __object.self_size END AS size,
    0 AS alloc_count,
    0 AS alloc_size
  FROM heap_graph_object AS __object
  JOIN heap_graph_class AS __class ON __class.id = __object.type_id
  LEFT JOIN _heap_graph_object_min_depth_tree AS __tree ON __tree.id = __object.id
  CROSS JOIN (
    SELECT 0 AS is_native, '' AS prefix
    UNION ALL
    SELECT 1, '[native] '
  ) AS __kind
  WHERE
    __object.upid = $upid
    AND __object.graph_sample_ts = $ts
    AND (__tree.id IS NOT NULL OR __object.root_type IS NOT NULL)
    AND (__kind.is_native = 0 OR __object.native_size != 0)
);

-- Returns one row for a heap dump: `has_roots`, whether it has a root, and `truncated`, whether it
-- is incomplete.
CREATE PERFETTO MACRO _experimental_flamegraph_heap_graph_state(
  -- Process, as in `heap_graph`.
  upid Expr,
  -- Time of the heap dump.
  ts Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    (
      SELECT count(root_type) > 0
      FROM heap_graph_object
      WHERE upid = $upid AND graph_sample_ts = $ts
    ) AS has_roots,
    (SELECT max(truncated) FROM heap_graph WHERE upid = $upid AND ts = $ts) AS truncated
);
