-- Totals of Java heap dumps.

INCLUDE PERFETTO MODULE android.memory.dmabuf_spans;
INCLUDE PERFETTO MODULE android.memory.heap_graph.oome;
INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE linux.memory.process;

-- Totals of the objects of each heap dump.
CREATE PERFETTO TABLE _heap_graph_totals AS
SELECT
  upid,
  graph_sample_ts,
  count(*) AS obj_count,
  sum(self_size) AS size,
  sum(native_size) AS native_size,
  sum(CASE WHEN reachable THEN 1 ELSE 0 END) AS reachable_obj_count,
  sum(CASE WHEN reachable THEN self_size ELSE 0 END) AS reachable_size,
  sum(CASE WHEN reachable THEN native_size ELSE 0 END) AS reachable_native_size
FROM heap_graph_object
GROUP BY upid, graph_sample_ts;

-- Returns a measurement of the process at the time of each heap dump: `upid`, `graph_sample_ts` and
-- `value`. Counts are spans that contain the time and those that start up to 500 ms later; of
-- several, the one with the nearest start.
CREATE PERFETTO MACRO _heap_graph_value_at_dump(
  -- Measurements with `upid`, `ts` and `dur`.
  spans TableOrSubquery,
  -- Column of the measured value.
  value ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT upid, graph_sample_ts, value
  FROM (
    SELECT
      __dump.upid,
      __dump.graph_sample_ts,
      __span.$value AS value,
      row_number() OVER (
        PARTITION BY __dump.upid, __dump.graph_sample_ts
        ORDER BY abs(__span.ts - __dump.graph_sample_ts), __span.ts
      ) AS place
    FROM _heap_graph_totals AS __dump
    JOIN $spans AS __span
      ON __span.upid = __dump.upid
      AND __span.ts <= __dump.graph_sample_ts + 500000000
      AND (
        __span.ts > __dump.graph_sample_ts
        OR __span.ts + __span.dur >= __dump.graph_sample_ts
      )
  )
  WHERE place = 1
);

-- A Java heap dump with totals, and with measurements of the process at that time. A measurement is
-- NULL if there is none within 500 ms.
CREATE PERFETTO TABLE android_heap_graph_stats(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Time of the heap dump, ns in trace time.
  graph_sample_ts TIMESTAMP,
  -- Time since the start of the process, ns; NULL if the start is unknown.
  process_uptime LONG,
  -- Size of all objects in the Java heap, in bytes.
  total_heap_size LONG,
  -- Size of the native memory registered for objects (`NativeAllocationRegistry`), in bytes. It is
  -- no part of `total_heap_size`.
  total_native_alloc_registry_size LONG,
  -- Number of objects.
  total_obj_count LONG,
  -- Size of the reachable objects in the Java heap, in bytes.
  reachable_heap_size LONG,
  -- Size of the native memory registered for reachable objects, in bytes.
  reachable_native_alloc_registry_size LONG,
  -- Number of reachable objects.
  reachable_obj_count LONG,
  -- Oom score of the process.
  oom_score_adj LONG,
  -- Anonymous memory of the process, resident or in swap, in bytes.
  anon_rss_and_swap_size LONG,
  -- DMA-BUF memory of the process, in bytes.
  dmabuf_rss_size LONG,
  -- Memory that the Android Runtime counts as allocated, in bytes.
  art_bytes_allocated LONG,
  -- Whether an `OutOfMemoryError` caused the dump.
  is_out_of_memory_error BOOL,
  -- Size of the allocation that failed, in bytes; NULL without an `OutOfMemoryError`.
  oome_failing_allocation_size LONG,
  -- Memory that could be allocated before the limit of the heap, in bytes; NULL without an
  -- `OutOfMemoryError`.
  oome_remaining_art_free_bytes LONG
) AS
SELECT
  total.upid,
  total.graph_sample_ts,
  total.graph_sample_ts - process.start_ts AS process_uptime,
  total.size AS total_heap_size,
  total.native_size AS total_native_alloc_registry_size,
  total.obj_count AS total_obj_count,
  total.reachable_size AS reachable_heap_size,
  total.reachable_native_size AS reachable_native_alloc_registry_size,
  total.reachable_obj_count,
  oom.value AS oom_score_adj,
  anonymous.value AS anon_rss_and_swap_size,
  dmabuf.value AS dmabuf_rss_size,
  heap_graph.heap_size AS art_bytes_allocated,
  coalesce(heap_graph.dump_reason = 'OOME', FALSE) OR EXISTS (
    SELECT 1
    FROM metadata
    WHERE
      name = 'trace_trigger'
      AND str_value = 'com.android.telemetry.art-outofmemory'
  ) AS is_out_of_memory_error,
  error.allocation_size_bytes AS oome_failing_allocation_size,
  error.free_bytes_until_oom AS oome_remaining_art_free_bytes
FROM _heap_graph_totals AS total
JOIN process ON process.upid = total.upid
LEFT JOIN heap_graph ON heap_graph.upid = total.upid AND heap_graph.ts = total.graph_sample_ts
LEFT JOIN android_heap_graph_java_oome_details AS error ON error.heap_graph_id = heap_graph.id
LEFT JOIN _heap_graph_value_at_dump!(android_oom_adj_intervals, score) AS oom
  ON oom.upid = total.upid AND oom.graph_sample_ts = total.graph_sample_ts
LEFT JOIN _heap_graph_value_at_dump!(memory_rss_and_swap_per_process, anon_rss_and_swap)
  AS anonymous
  ON anonymous.upid = total.upid AND anonymous.graph_sample_ts = total.graph_sample_ts
LEFT JOIN _heap_graph_value_at_dump!(_dmabuf_spans, dmabuf_rss) AS dmabuf
  ON dmabuf.upid = total.upid AND dmabuf.graph_sample_ts = total.graph_sample_ts
ORDER BY total.upid, total.graph_sample_ts;
