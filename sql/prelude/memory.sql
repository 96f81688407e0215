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
FROM __stored_android_heap_graph_java_oome_details;

-- A snapshot of the memory of all processes of Chrome.
CREATE PERFETTO VIEW memory_snapshot(
  -- Unique id of the snapshot.
  id ID,
  -- Time of the snapshot, ns in trace time.
  timestamp TIMESTAMP,
  -- Track of global instants of Chrome; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Level of detail: `detailed`, `light` or `background`.
  detail_level STRING
) AS
SELECT id, timestamp, track_id, detail_level FROM __intrinsic_memory_snapshot;

-- The part of a process in a memory snapshot. Process 0 stands for memory of no process.
CREATE PERFETTO VIEW process_memory_snapshot(
  -- Unique id of the row.
  id ID,
  -- Snapshot; join with `memory_snapshot` on `id`.
  snapshot_id JOINID(memory_snapshot.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id)
) AS
SELECT id, snapshot_id, upid FROM __intrinsic_process_memory_snapshot;

-- A part of the memory of an allocator in a memory snapshot.
CREATE PERFETTO VIEW memory_snapshot_node(
  -- Unique id of the part.
  id ID,
  -- Process in the snapshot; join with `process_memory_snapshot` on `id`.
  process_snapshot_id JOINID(process_memory_snapshot.id),
  -- The part that contains this one; NULL at the top. Join with `memory_snapshot_node` on `id`.
  parent_node_id JOINID(memory_snapshot_node.id),
  -- Names from the top to this part, separated by slashes. `<unspecified>` is what the other parts
  -- of a part do not explain.
  path STRING,
  -- Size, bytes; NULL if unknown.
  size LONG,
  -- Size without what other parts own of it, and with what it owns of others, bytes; NULL if
  -- unknown. Effective sizes of a snapshot can be summed.
  effective_size LONG,
  -- Values that the allocator states, each with its unit; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT id, process_snapshot_id, parent_node_id, path, size, effective_size, arg_set_id
FROM __intrinsic_memory_snapshot_node;

-- An ownership in a memory snapshot: a part of memory owns memory of another part.
CREATE PERFETTO VIEW memory_snapshot_edge(
  -- Unique id of the ownership.
  id ID,
  -- The owner; join with `memory_snapshot_node` on `id`.
  source_node_id JOINID(memory_snapshot_node.id),
  -- The owned part; join with `memory_snapshot_node` on `id`.
  target_node_id JOINID(memory_snapshot_node.id),
  -- Importance: the memory counts for owners of the greatest importance first.
  importance LONG
) AS
SELECT id, source_node_id, target_node_id, importance FROM __intrinsic_memory_snapshot_edge;
