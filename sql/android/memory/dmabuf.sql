-- DMA-BUF memory (buffers shared between devices), attributed to the threads that requested it.

-- Allocations and releases of DMA heap buffers by each thread.
CREATE PERFETTO TABLE _dmabuf_changes AS
SELECT
  counter.id,
  counter.ts,
  CAST(counter.value AS BIGINT) AS buf_size,
  inode.int_value AS inode,
  track.utid
FROM counter
JOIN thread_counter_track AS track ON track.id = counter.track_id
LEFT JOIN args AS inode ON inode.arg_set_id = counter.arg_set_id AND inode.key = 'inode'
WHERE track.name = 'mem.dma_heap_change';

-- Binder calls that the graphics buffer allocator served, with the calling threads. A buffer
-- allocated during such a call is attributed to the caller.
CREATE PERFETTO TABLE _allocator_calls AS
SELECT
  server_track.utid AS server_utid,
  served.ts,
  served.ts + served.dur AS end_ts,
  client_track.utid AS client_utid
FROM slice AS served
JOIN thread_track AS server_track ON server_track.id = served.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
JOIN flow ON flow.slice_in = served.id
JOIN slice AS calling ON calling.id = flow.slice_out
JOIN thread_track AS client_track ON client_track.id = calling.track_id
WHERE
  served.name = 'binder reply'
  AND (
    process.name GLOB '/vendor/bin/hw/android.hardware.graphics.allocator*'
    OR process.name GLOB '/vendor/bin/hw/*gralloc.allocator*'
  );

-- Buffer changes attributed to the requesting thread. `before_utid` is the thread of the previous
-- change of the same buffer.
CREATE PERFETTO TABLE _dmabuf_attributed AS
WITH asked AS (
  SELECT
    change.id,
    change.ts,
    change.inode,
    change.buf_size,
    coalesce(min(call.client_utid), change.utid) AS utid
  FROM _dmabuf_changes AS change
  LEFT JOIN _allocator_calls AS call
    ON call.server_utid = change.utid AND change.ts BETWEEN call.ts AND call.end_ts
  GROUP BY change.id, change.ts, change.inode, change.buf_size, change.utid
)
SELECT *, lag(utid) OVER (PARTITION BY inode ORDER BY ts, id) AS before_utid
FROM asked;

-- An allocation or release of a DMA-BUF buffer.
CREATE PERFETTO TABLE android_dmabuf_allocs(
  -- Time of the allocation or release, ns in trace time.
  ts TIMESTAMP,
  -- Size of the buffer in bytes; negative for a release.
  buf_size LONG,
  -- Inode of the buffer.
  inode LONG,
  -- Thread that requested the buffer; for a release, the thread that had requested it. Join with
  -- `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING
) AS
SELECT
  change.ts,
  change.buf_size,
  change.inode,
  thread.utid,
  thread.tid,
  thread.name AS thread_name,
  process.upid,
  process.pid,
  process.name AS process_name
FROM _dmabuf_attributed AS change
JOIN thread
  ON thread.utid = CASE WHEN change.buf_size > 0 THEN change.utid ELSE change.before_utid END
LEFT JOIN process ON process.upid = thread.upid
ORDER BY change.ts;

-- Total DMA-BUF memory of a process at each change.
CREATE PERFETTO TABLE android_memory_cumulative_dmabuf(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Thread that requested the buffer of this change; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Time of the change, ns in trace time.
  ts TIMESTAMP,
  -- Memory that the process has allocated minus released since the start of the trace, in bytes.
  value LONG
) AS
SELECT
  upid,
  process_name,
  utid,
  thread_name,
  ts,
  sum(buf_size) OVER (
    PARTITION BY CASE WHEN upid IS NULL THEN utid END, upid
    ORDER BY ts
    RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS value
FROM android_dmabuf_allocs
ORDER BY ts;
