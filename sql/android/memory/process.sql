-- Memory of processes together with their oom scores.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE linux.memory.general;

-- Memory counters of each process, one row for each time with a value.
CREATE PERFETTO TABLE _process_memory_told AS
SELECT
  track.upid,
  counter.ts,
  max(CASE WHEN track.name = 'mem.rss.anon' THEN counter.value END) AS anon_rss,
  max(CASE WHEN track.name = 'mem.rss.file' THEN counter.value END) AS file_rss,
  max(CASE WHEN track.name = 'mem.rss.shmem' THEN counter.value END) AS shmem_rss,
  max(CASE WHEN track.name = 'mem.swap' THEN counter.value END) AS swap
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name IN ('mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap')
GROUP BY track.upid, counter.ts;

-- Changes of the memory or the oom score of a process, with the last value of each.
CREATE PERFETTO TABLE _process_memory_moments AS
WITH moments AS (
  SELECT upid, ts FROM _process_memory_told
  UNION
  SELECT upid, ts FROM _oom_adjuster_intervals
),
reported AS (
  SELECT
    moments.upid,
    moments.ts,
    score.ts AS score_ts,
    memory.ts AS memory_ts,
    memory.anon_rss,
    memory.file_rss,
    memory.shmem_rss,
    memory.swap
  FROM moments
  LEFT JOIN _process_memory_told AS memory
    ON memory.upid = moments.upid AND memory.ts = moments.ts
  LEFT JOIN _oom_adjuster_intervals AS score
    ON score.upid = moments.upid AND score.ts = moments.ts
)
SELECT
  upid,
  ts,
  lead(ts, 1, trace_end()) OVER of_process AS end_ts,
  max(score_ts) OVER of_process AS score_ts,
  max(memory_ts) OVER of_process AS memory_ts,
  last_value(anon_rss) IGNORE NULLS OVER of_process AS anon_rss,
  last_value(file_rss) IGNORE NULLS OVER of_process AS file_rss,
  last_value(shmem_rss) IGNORE NULLS OVER of_process AS shmem_rss,
  last_value(swap) IGNORE NULLS OVER of_process AS swap
FROM reported
WINDOW of_process AS (PARTITION BY upid ORDER BY ts);

-- A period in which neither the memory nor the oom score of a process changed.
CREATE PERFETTO TABLE memory_oom_score_with_rss_and_swap_per_process(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Oom score; NULL if unknown.
  score LONG,
  -- Meaning of the score, as `android_oom_adj_score_to_bucket_name` returns it.
  bucket STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Kernel id of the process.
  pid LONG,
  -- Slice of the last score update by the system server; join with `slice` on `id`.
  oom_adj_id JOINID(slice.id),
  -- Start of that update, ns in trace time.
  oom_adj_ts TIMESTAMP,
  -- Duration of that update, ns.
  oom_adj_dur DURATION,
  -- Track of that update; join with `track` on `id`.
  oom_adj_track_id JOINID(track.id),
  -- Name of the thread of that update.
  oom_adj_thread_name STRING,
  -- Reason for the score update.
  oom_adj_reason STRING,
  -- Name of the slice that triggered the score update.
  oom_adj_trigger STRING,
  -- Resident memory without a backing file, in bytes.
  anon_rss LONG,
  -- Resident memory with a backing file, in bytes.
  file_rss LONG,
  -- Resident shared memory, in bytes.
  shmem_rss LONG,
  -- Sum of `anon_rss`, `file_rss` and `shmem_rss`, in bytes. As in the other sums, unknown shared
  -- memory and swap count as 0.
  rss LONG,
  -- Memory in swap, in bytes.
  swap LONG,
  -- Sum of `anon_rss` and `swap`, in bytes.
  anon_rss_and_swap LONG,
  -- Sum of `rss` and `swap`, in bytes.
  rss_and_swap LONG
) AS
WITH filled AS (
  SELECT *, anon_rss + file_rss + coalesce(shmem_rss, 0) AS rss
  FROM _process_memory_moments
  WHERE end_ts > ts
)
SELECT
  filled.ts,
  filled.end_ts - filled.ts AS dur,
  score.score,
  score.bucket,
  filled.upid,
  process.name AS process_name,
  process.pid,
  score.oom_adj_id,
  score.oom_adj_ts,
  score.oom_adj_dur,
  score.oom_adj_track_id,
  score.oom_adj_thread_name,
  score.oom_adj_reason,
  score.oom_adj_trigger,
  CAST(filled.anon_rss AS BIGINT) AS anon_rss,
  CAST(filled.file_rss AS BIGINT) AS file_rss,
  CAST(filled.shmem_rss AS BIGINT) AS shmem_rss,
  CAST(filled.rss AS BIGINT) AS rss,
  CAST(filled.swap AS BIGINT) AS swap,
  CAST(filled.anon_rss + coalesce(filled.swap, 0) AS BIGINT) AS anon_rss_and_swap,
  CAST(filled.rss + coalesce(filled.swap, 0) AS BIGINT) AS rss_and_swap
FROM filled
JOIN process ON process.upid = filled.upid
LEFT JOIN android_oom_adj_intervals AS score
  ON score.upid = filled.upid AND score.ts = filled.score_ts
ORDER BY filled.upid, filled.ts;
