-- GPU memory of processes.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE linux.memory.general;

-- A period in which the GPU memory of a process was constant.
CREATE PERFETTO TABLE android_gpu_memory_per_process(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- GPU memory in bytes.
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
