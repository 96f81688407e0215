-- Memory of processes over time, without the memory that they share with their zygote, and by oom
-- bucket.

INCLUDE PERFETTO MODULE android.oom_adjuster;

INCLUDE PERFETTO MODULE counters.intervals;

-- Memory counters: the name of the counter, the name in the tables below, the unit in bytes, and
-- whether a process inherits such memory from its zygote.
CREATE PERFETTO TABLE _memory_counters AS
SELECT column1 AS counter_name, column2 AS name, column3 AS unit, column4 AS is_inherited
FROM (
  VALUES
    ('mem.rss.anon', 'mem.rss.anon', 1, 1),
    ('mem.rss.file', 'mem.rss.file', 1, 1),
    ('mem.rss.shmem', 'mem.rss.shmem', 1, 0),
    ('mem.swap', 'mem.swap', 1, 1),
    ('mem.locked', 'mem.locked', 1, 0),
    ('mem.dmabuf_rss', 'mem.dmabuf_rss', 1, 0),
    ('GPU Memory', 'GPU Memory', 1, 0),
    ('Heap size (KB)', 'mem.heap', 1024, 1)
);

-- Counter tracks of the memory of processes.
CREATE PERFETTO TABLE _memory_tracks AS
SELECT track.id, track.upid, kind.name, kind.unit, kind.is_inherited
FROM process_counter_track AS track
JOIN _memory_counters AS kind ON kind.counter_name = track.name;

-- Average of the memory counters of each zygote, in bytes. Apps are forked from `zygote` or
-- `zygote64` and share its memory until they write to it.
CREATE PERFETTO TABLE _zygote_memory AS
SELECT
  zygote.upid,
  track.name,
  CAST(avg(CAST(counter.value AS BIGINT) * track.unit) AS BIGINT) AS bytes
FROM process AS zygote
JOIN _memory_tracks AS track ON track.upid = zygote.upid
JOIN counter ON counter.track_id = track.id
WHERE zygote.name IN ('zygote', 'zygote64') AND track.is_inherited = 1
GROUP BY zygote.upid, track.name;

-- Periods of constant memory, with the difference to the previous value of the track in bytes.
CREATE PERFETTO TABLE _memory_periods AS
SELECT
  period.id,
  period.ts,
  period.ts + period.dur AS ts_end,
  period.track_id,
  CAST(period.value AS BIGINT) * track.unit AS bytes,
  period.delta_value * track.unit AS change
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN _memory_tracks AS of_memory ON of_memory.id = counter.track_id
)) AS period
JOIN _memory_tracks AS track ON track.id = period.track_id;

-- A period in the life of a process in which one of its memory counters was constant.
CREATE PERFETTO TABLE android_process_memory_intervals(
  -- Counter value; join with `counter` on `id`.
  id JOINID(counter.id),
  -- Start, ns in trace time; not before the start of the process.
  ts TIMESTAMP,
  -- Duration, ns; at most until the end of the process.
  dur DURATION,
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Kernel id of the process.
  pid JOINID(process.pid),
  -- Name of the counter, such as `mem.rss.anon`; `mem.heap` for `Heap size (KB)`.
  memory_track_name STRING,
  -- Counter track; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Memory in bytes.
  value LONG,
  -- Memory in bytes without that of the zygote that the process was forked from: `value` minus the
  -- average of the same counter of the parent, at least 0. This applies to `mem.rss.anon`,
  -- `mem.rss.file`, `mem.swap` and `mem.heap`. It equals `value` if the parent is no zygote or has
  -- no such counter.
  zygote_adjusted_value LONG,
  -- Whether two consecutive values of the track differ by more than 100 MiB, which may be an error
  -- of the measurement.
  track_has_spike_gt_100mib BOOL
) AS
WITH spikes AS (
  SELECT track_id, max(abs(change)) > 100 * 1024 * 1024 AS has_spike
  FROM _memory_periods
  GROUP BY track_id
),
clipped AS (
  SELECT
    period.id,
    greatest(period.ts, coalesce(process.start_ts, period.ts)) AS ts,
    least(period.ts_end, coalesce(process.end_ts, period.ts_end)) AS ts_end,
    process.name AS process_name,
    process.upid,
    process.pid,
    track.name AS memory_track_name,
    period.track_id,
    period.bytes,
    CASE
      WHEN process.name IN ('zygote', 'zygote64') THEN 0
      ELSE coalesce(inherited.bytes, 0)
    END AS inherited_bytes
  FROM _memory_periods AS period
  JOIN _memory_tracks AS track ON track.id = period.track_id
  JOIN process ON process.upid = track.upid
  LEFT JOIN _zygote_memory AS inherited
    ON inherited.upid = process.parent_upid AND inherited.name = track.name
)
SELECT
  clipped.id,
  clipped.ts,
  clipped.ts_end - clipped.ts AS dur,
  clipped.process_name,
  clipped.upid,
  clipped.pid,
  clipped.memory_track_name,
  clipped.track_id,
  clipped.bytes AS value,
  greatest(clipped.bytes - clipped.inherited_bytes, 0) AS zygote_adjusted_value,
  coalesce(spikes.has_spike, 0) AS track_has_spike_gt_100mib
FROM clipped
JOIN spikes ON spikes.track_id = clipped.track_id
WHERE clipped.ts_end > clipped.ts
ORDER BY clipped.track_id, clipped.ts;

-- Oom buckets of processes over time, for each memory track of the process.
CREATE PERFETTO TABLE _oom_buckets_of_tracks AS
SELECT track.id AS track_id, score.ts, score.dur, score.bucket
FROM android_oom_adj_intervals AS score
JOIN _memory_tracks AS track ON track.upid = score.upid
WHERE score.dur > 0;

-- Memory of processes, split where the oom bucket changes.
CREATE VIRTUAL TABLE _memory_with_oom_buckets USING SPAN_LEFT_JOIN(
  android_process_memory_intervals PARTITIONED track_id,
  _oom_buckets_of_tracks PARTITIONED track_id
);

-- A period in the life of a process in which neither one of its memory counters nor its oom bucket
-- changed.
CREATE PERFETTO TABLE android_process_memory_intervals_by_oom_bucket(
  -- Unique id of the period.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Kernel id of the process.
  pid JOINID(process.pid),
  -- Oom bucket, as `android_oom_adj_score_to_bucket_name` returns it; `unknown` if not recorded.
  bucket STRING,
  -- Name of the counter, such as `mem.rss.anon`; `mem.heap` for `Heap size (KB)`.
  memory_track_name STRING,
  -- Counter track; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Counter value; join with `counter` on `id`.
  counter_id JOINID(counter.id),
  -- Memory in bytes.
  value LONG,
  -- Memory in bytes without that of the zygote, as in `android_process_memory_intervals`.
  zygote_adjusted_value LONG,
  -- Whether two consecutive values of the track differ by more than 100 MiB.
  track_has_spike_gt_100mib BOOL
) AS
SELECT
  row_number() OVER (ORDER BY track_id, ts) AS id,
  ts,
  dur,
  process_name,
  upid,
  pid,
  coalesce(bucket, 'unknown') AS bucket,
  memory_track_name,
  track_id,
  id AS counter_id,
  value,
  zygote_adjusted_value,
  track_has_spike_gt_100mib
FROM _memory_with_oom_buckets
WHERE dur > 0
ORDER BY 1;
