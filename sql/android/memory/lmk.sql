-- Processes that the low memory killer ended.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- What the numbers of its reasons mean.
CREATE PERFETTO TABLE _lmk_reasons AS
SELECT column1 AS reason, column2 AS name
FROM (
  VALUES
    (0, 'PRESSURE_AFTER_KILL'), (1, 'NOT_RESPONDING'), (2, 'LOW_SWAP_AND_THRASHING'),
    (3, 'LOW_MEM_AND_SWAP'), (4, 'LOW_MEM_AND_THRASHING'), (5, 'DIRECT_RECL_AND_THRASHING'),
    (6, 'LOW_MEM_AND_SWAP_UTIL'), (7, 'LOW_FILECACHE_AFTER_THRASHING'), (8, 'LOW_MEM'),
    (9, 'DIRECT_RECL_STUCK')
);

-- The kills, in the three ways in which the killer has noted them over the years: instants of a
-- track of its own, slices of that name anywhere, and a counter of the number of the process.
-- `way` is lower for the newer.
CREATE PERFETTO TABLE _lmk_marks AS
SELECT
  slice.id AS event_id,
  CASE WHEN track.name = 'lowmemorykiller' THEN 1 ELSE 2 END AS way,
  slice.ts,
  CAST(nullif(split_part(slice.name, ',', 2), '') AS BIGINT) AS pid,
  CAST(nullif(split_part(slice.name, ',', 3), '') AS BIGINT) AS reason,
  CAST(nullif(split_part(slice.name, ',', 4), '') AS BIGINT) AS score
FROM slice
JOIN track ON track.id = slice.track_id
WHERE slice.name GLOB 'lmk,*'
UNION ALL
SELECT
  counter.id AS event_id,
  3 AS way,
  counter.ts,
  CAST(counter.value AS BIGINT) AS pid,
  CAST(NULL AS BIGINT) AS reason,
  score.score
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
LEFT JOIN process ON process.pid = CAST(counter.value AS BIGINT)
LEFT JOIN android_oom_adj_intervals AS score
  ON score.upid = process.upid AND counter.ts >= score.ts AND counter.ts < score.ts + score.dur
WHERE track.name = 'kill_one_process' AND counter.value > 0;

-- A process that the low memory killer ended.
CREATE PERFETTO TABLE android_lmk_events(
  -- When the killer asked for it.
  ts TIMESTAMP,
  -- The process.
  upid JOINID(process.upid),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Its oom score.
  oom_score_adj LONG,
  -- Why, as `LOW_MEM`.
  kill_reason STRING,
  -- Why, as the killer's number.
  kill_reason_raw LONG
) AS
WITH newest AS (
  SELECT min(way) AS way FROM _lmk_marks
)
SELECT
  mark.ts,
  process.upid,
  mark.pid,
  process.name AS process_name,
  mark.score AS oom_score_adj,
  CASE
    WHEN mark.reason BETWEEN 1000 AND 1999 THEN 'VENDOR_REASON'
    ELSE coalesce(reasons.name, 'UNKNOWN')
  END AS kill_reason,
  mark.reason AS kill_reason_raw
FROM _lmk_marks AS mark
JOIN newest ON newest.way = mark.way
LEFT JOIN process
  ON process.pid = mark.pid
  AND mark.ts >= coalesce(process.start_ts, trace_start())
  AND mark.ts <= coalesce(process.end_ts, trace_end())
LEFT JOIN _lmk_reasons AS reasons ON reasons.reason = mark.reason
ORDER BY mark.ts;
