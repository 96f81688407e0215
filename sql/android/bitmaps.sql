-- The memory that apps hold in bitmaps.

INCLUDE PERFETTO MODULE counters.intervals;

-- The two counters of bitmaps, one row for every change.
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

-- A period in which a process's bitmaps kept their size.
CREATE PERFETTO TABLE android_bitmap_memory(
  -- The counter's value.
  id ID(counter.id),
  -- The process.
  upid JOINID(process.upid),
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The counter's track.
  track_id JOINID(counter.track_id),
  -- The size of all its bitmaps, in bytes.
  value LONG
) AS
SELECT id, upid, ts, dur, track_id, value
FROM _bitmap_counters
WHERE name = 'Bitmap Memory';

-- A period in which a process had as many bitmaps.
CREATE PERFETTO TABLE android_bitmap_count(
  -- The counter's value.
  id ID(counter.id),
  -- The process.
  upid JOINID(process.upid),
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The counter's track.
  track_id JOINID(counter.track_id),
  -- How many bitmaps it has.
  value LONG
) AS
SELECT id, upid, ts, dur, track_id, value
FROM _bitmap_counters
WHERE name = 'Bitmap Count';

-- A period in which neither of a process's counters of bitmaps changed.
CREATE PERFETTO TABLE android_bitmap_counters_per_process(
  -- The process.
  upid JOINID(process.upid),
  -- Its name.
  process_name STRING,
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The size of all its bitmaps, in bytes.
  bitmap_memory LONG,
  -- How many bitmaps it has.
  bitmap_count LONG,
  -- The value of the counter of their size.
  bitmap_memory_id JOINID(counter.id),
  -- The value of the counter of their number.
  bitmap_count_id JOINID(counter.id)
) AS
WITH moments AS (
  SELECT DISTINCT upid, ts FROM _bitmap_counters
),
-- The latest value of both counters at every change of either.
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
