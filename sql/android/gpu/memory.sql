-- The memory of GPUs.

-- A period in which a process's memory of the GPU kept its size.
CREATE PERFETTO TABLE android_gpu_memory_per_process(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- The memory, in bytes.
  gpu_memory LONG
) AS
SELECT
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts)
    - counter.ts AS dur,
  track.upid,
  CAST(counter.value AS BIGINT) AS gpu_memory
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'GPU Memory'
ORDER BY counter.ts;
