-- Buffers that devices share, by who asked for them.

-- What each thread took and gave back of the kernel's shared buffers.
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

-- The calls that the allocator of graphics buffers served, with the threads that called: a buffer
-- it takes is theirs.
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

-- The same changes by the thread that asked; and for each, who asked for the buffer's allocation
-- before it.
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

-- A buffer that was taken or given back.
CREATE PERFETTO TABLE android_dmabuf_allocs(
  -- When.
  ts TIMESTAMP,
  -- Its size in bytes; negative where it was given back.
  buf_size LONG,
  -- The buffer's inode.
  inode LONG,
  -- The thread that asked for it; of a buffer that is given back, the one that had asked for it.
  utid JOINID(thread.id),
  -- The thread's number.
  tid LONG,
  -- The thread's name.
  thread_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- The process's number.
  pid LONG,
  -- The process's name.
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

-- How much a process held of such buffers, at each change.
CREATE PERFETTO TABLE android_memory_cumulative_dmabuf(
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The thread that asked for the buffer.
  utid JOINID(thread.id),
  -- The thread's name.
  thread_name STRING,
  -- When.
  ts TIMESTAMP,
  -- All it held by then since the trace began, in bytes.
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
