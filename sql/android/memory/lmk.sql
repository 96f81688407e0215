-- Processes that the low memory killer killed.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- Meaning of the kill reason codes.
CREATE PERFETTO TABLE _lmk_reasons AS
SELECT column1 AS reason, column2 AS name
FROM (
  VALUES
    (0, 'PRESSURE_AFTER_KILL'), (1, 'NOT_RESPONDING'), (2, 'LOW_SWAP_AND_THRASHING'),
    (3, 'LOW_MEM_AND_SWAP'), (4, 'LOW_MEM_AND_THRASHING'), (5, 'DIRECT_RECL_AND_THRASHING'),
    (6, 'LOW_MEM_AND_SWAP_UTIL'), (7, 'LOW_FILECACHE_AFTER_THRASHING'), (8, 'LOW_MEM'),
    (9, 'DIRECT_RECL_STUCK')
);

-- Kills in the three formats that Android versions use: instants on a track of the killer, slices
-- with that name on any track, and a counter with the pid. A lower `way` is a newer format.
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

-- A process that the low memory killer killed.
CREATE PERFETTO TABLE android_lmk_events(
  -- Time of the kill, ns in trace time.
  ts TIMESTAMP,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Kernel id of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- Oom score of the process at the kill; NULL if unknown.
  oom_score_adj LONG,
  -- Reason for the kill, such as `LOW_MEM`.
  kill_reason STRING,
  -- Reason code of the kill; NULL if not recorded.
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
