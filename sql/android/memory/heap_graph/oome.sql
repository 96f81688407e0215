-- Java `OutOfMemoryError`s that caused a heap dump.

-- An `OutOfMemoryError` that caused a heap dump.
CREATE PERFETTO VIEW android_heap_graph_java_oome_details(
  -- Unique id of the row.
  id ID,
  -- Heap dump; join with `heap_graph` on `id`.
  heap_graph_id JOINID(heap_graph.id),
  -- Size of the allocation that failed, in bytes.
  allocation_size_bytes LONG,
  -- Free memory in the Java heap at the time of the error, in bytes.
  total_bytes_free LONG,
  -- Memory that could be allocated before the limit of the heap, in bytes.
  free_bytes_until_oom LONG,
  -- Message of the error.
  error_msg STRING
) AS
SELECT
  id, heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, error_msg
FROM __intrinsic_heap_graph_java_oome_details;
