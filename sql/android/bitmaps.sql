-- Memory that apps use for bitmaps.

INCLUDE PERFETTO MODULE counters.intervals;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- Values of both bitmap counters, one row per change.
CREATE PERFETTO TABLE _bitmap_counters AS
SELECT
  changes.id,
  track.upid,
  track.name,
  changes.ts,
  changes.dur,
  changes.track_id,
  CAST(changes.value AS BIGINT) AS value
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN process_counter_track AS of_process ON of_process.id = counter.track_id
  WHERE of_process.name IN ('Bitmap Memory', 'Bitmap Count')
)) AS changes
JOIN process_counter_track AS track ON track.id = changes.track_id
ORDER BY changes.id;

-- A period in which the bitmaps of a process had a constant total size.
CREATE PERFETTO TABLE android_bitmap_memory(
  -- Row of the counter value; join with `counter` on `id`.
  id ID(counter.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track of the counter; join with `track` on `id`.
  track_id JOINID(counter.track_id),
  -- Total size of all bitmaps in bytes.
  value LONG
) AS
SELECT id, upid, ts, dur, track_id, value
FROM _bitmap_counters
WHERE name = 'Bitmap Memory';

-- A period in which a process had a constant number of bitmaps.
CREATE PERFETTO TABLE android_bitmap_count(
  -- Row of the counter value; join with `counter` on `id`.
  id ID(counter.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track of the counter; join with `track` on `id`.
  track_id JOINID(counter.track_id),
  -- Number of bitmaps.
  value LONG
) AS
SELECT id, upid, ts, dur, track_id, value
FROM _bitmap_counters
WHERE name = 'Bitmap Count';

-- A period in which neither bitmap counter of a process changed.
CREATE PERFETTO TABLE android_bitmap_counters_per_process(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Name of the process.
  process_name STRING,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Total size of all bitmaps in bytes.
  bitmap_memory LONG,
  -- Number of bitmaps.
  bitmap_count LONG,
  -- Row of the size counter; join with `counter` on `id`.
  bitmap_memory_id JOINID(counter.id),
  -- Row of the number counter; join with `counter` on `id`.
  bitmap_count_id JOINID(counter.id)
) AS
WITH moments AS (
  SELECT DISTINCT upid, ts FROM _bitmap_counters
),
-- Latest value of both counters at each change of either.
latest AS (
  SELECT
    moments.upid,
    moments.ts,
    lead(moments.ts, 1, trace_end()) OVER of_process AS end_ts,
    max(memory.ts) OVER of_process AS memory_ts,
    max(number.ts) OVER of_process AS count_ts
  FROM moments
  LEFT JOIN android_bitmap_memory AS memory
    ON memory.upid = moments.upid AND memory.ts = moments.ts
  LEFT JOIN android_bitmap_count AS number
    ON number.upid = moments.upid AND number.ts = moments.ts
  WINDOW of_process AS (PARTITION BY moments.upid ORDER BY moments.ts)
)
SELECT
  latest.upid,
  process.name AS process_name,
  latest.ts,
  latest.end_ts - latest.ts AS dur,
  memory.value AS bitmap_memory,
  number.value AS bitmap_count,
  memory.id AS bitmap_memory_id,
  number.id AS bitmap_count_id
FROM latest
JOIN process ON process.upid = latest.upid
JOIN android_bitmap_memory AS memory
  ON memory.upid = latest.upid AND memory.ts = latest.memory_ts
JOIN android_bitmap_count AS number
  ON number.upid = latest.upid AND number.ts = latest.count_ts
WHERE latest.end_ts > latest.ts
ORDER BY latest.upid, latest.ts;
