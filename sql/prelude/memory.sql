-- A memory mapping of a process (smaps), or the sum of several mappings with the same path.
CREATE PERFETTO VIEW process_memory_mappings(
  -- Unique id of the row.
  id ID,
  -- Process; join with `process` on `upid`.
  upid LONG,
  -- Time of the measurement, ns in trace time.
  ts TIMESTAMP,
  -- Path of the mapped file, or the purpose of the memory.
  path STRING,
  -- Number of mappings that the row sums up.
  aggregate_count LONG,
  -- Whether the file was deleted.
  is_deleted LONG,
  -- Size of the mapping in KiB.
  size_kb LONG,
  -- Resident memory (in RAM) in KiB.
  rss_kb LONG,
  -- Memory without a backing file, in KiB.
  anonymous_kb LONG,
  -- Memory in swap, in KiB.
  swap_kb LONG,
  -- Unmodified resident memory shared with other processes, in KiB.
  shared_clean_kb LONG,
  -- Modified resident memory shared with other processes, in KiB.
  shared_dirty_kb LONG,
  -- Unmodified resident memory of only this process, in KiB.
  private_clean_kb LONG,
  -- Modified resident memory of only this process, in KiB.
  private_dirty_kb LONG,
  -- Memory that is locked in RAM, in KiB.
  locked_kb LONG,
  -- Proportional set size in KiB: resident memory, with shared pages divided by the number of
  -- processes that map them.
  pss_kb LONG,
  -- Modified part of `pss_kb`, in KiB.
  pss_dirty_kb LONG,
  -- Memory in swap in KiB, with shared pages divided by the number of processes that map them.
  swap_pss_kb LONG
) AS
SELECT
  id, upid, ts, path_trimmed AS path, aggregate_count, is_deleted, size_kb, rss_kb, anonymous_kb,
  swap_kb, shared_clean_resident_kb AS shared_clean_kb,
  shared_dirty_resident_kb AS shared_dirty_kb, private_clean_resident_kb AS private_clean_kb,
  private_dirty_kb, locked_kb, proportional_resident_kb AS pss_kb, pss_dirty_kb, swap_pss_kb
FROM profiler_smaps;

-- An `OutOfMemoryError` that caused a dump of the Java heap.
CREATE PERFETTO VIEW __intrinsic_heap_graph_java_oome_details(
  -- Unique id of the row.
  id ID,
  -- Dump; join with `heap_graph` on `id`.
  heap_graph_id JOINID(heap_graph.id),
  -- Size of the allocation that failed, bytes.
  allocation_size_bytes LONG,
  -- Free memory in the heap, bytes.
  total_bytes_free LONG,
  -- Memory that could be allocated before the limit of the heap, bytes.
  free_bytes_until_oom LONG,
  -- Message of the error; NULL without one.
  error_msg STRING
) AS
SELECT
  id, heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, error_msg
FROM android_heap_graph_java_oome_details;
