-- Oom scores of processes over time, with the causes of changes.

INCLUDE PERFETTO MODULE counters.intervals;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Converts an oom score to a coarse bucket.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_bucket_name(
  -- Oom score.
  oom_score LONG
)
-- Bucket: `cached`, `background`, `job`, `foreground_service`, `bfgs`, `foreground` or `system`.
RETURNS STRING AS
SELECT
  CASE
    WHEN $oom_score >= 900 THEN 'cached'
    WHEN $oom_score >= 250 THEN 'background'
    WHEN $oom_score > 200 THEN 'job'
    WHEN $oom_score = 200 THEN 'foreground_service'
    WHEN $oom_score >= 100 THEN 'bfgs'
    WHEN $oom_score >= 0 THEN 'foreground'
    WHEN $oom_score < 0 THEN 'system'
  END;

-- Converts an oom score to a category of the activity manager.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_detailed_bucket_name(
  -- Oom score.
  value LONG,
  -- App id of the process. Apps have ids from 10000 on; this selects the result for scores without
  -- a meaning.
  android_appid LONG
)
-- Category, such as `visible_app` or `persistent_proc`.
RETURNS STRING AS
SELECT
  CASE
    WHEN $value >= 950 THEN 'cached_app_lmk_first'
    WHEN $value >= 900 THEN 'cached_app'
    WHEN $value >= 800 THEN 'service_b'
    WHEN $value >= 700 THEN 'previous_app'
    WHEN $value >= 600 THEN 'home_app'
    WHEN $value >= 500 THEN 'service'
    WHEN $value >= 400 THEN 'heavy_weight_app'
    WHEN $value >= 300 THEN 'backup'
    WHEN $value >= 250 THEN 'perceptible_low_app'
    WHEN $value >= 225 THEN 'perceptible_medium_app'
    WHEN $value >= 200 THEN 'perceptible_app'
    WHEN $value >= 100 THEN 'visible_app'
    -- Below 100 only some scores have a meaning.
    WHEN $value = 50 THEN 'perceptible_foreground_app'
    WHEN $value = 0 THEN 'foreground_app'
    WHEN $value = -600 THEN 'logcat'
    WHEN $value = -700 THEN 'persistent_service'
    WHEN $value = -800 THEN 'persistent_proc'
    WHEN $value = -900 THEN 'system'
    WHEN $value = -1000 THEN 'native'
    WHEN $android_appid >= 10000 THEN 'unknown_app'
    WHEN $android_appid < 10000 THEN 'unknown_native'
    ELSE 'unknown'
  END;

-- Score updates by the system server. The name of a slice ends in the reason; the parent slice is
-- the trigger.
CREATE PERFETTO TABLE _oom_updates AS
SELECT
  updating.id,
  updating.ts,
  updating.dur,
  updating.track_id,
  thread.name AS thread_name,
  split_part(updating.name, '_', 2) AS reason,
  CASE WHEN outer_slice.dur >= 0 THEN outer_slice.name END AS caused_by
FROM slice AS updating
JOIN thread_track AS track ON track.id = updating.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
LEFT JOIN slice AS outer_slice ON outer_slice.id = updating.parent_id
WHERE updating.name GLOB 'updateOomAdj_*' AND process.name = 'system_server';

-- Oom scores, one row per change.
CREATE PERFETTO TABLE _oom_scores AS
SELECT changes.id, changes.ts, changes.dur, changes.value, track.upid
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN process_counter_track AS of_process ON of_process.id = counter.track_id
  WHERE of_process.name = 'oom_score_adj'
)) AS changes
JOIN process_counter_track AS track ON track.id = changes.track_id;

-- Last score update that started before each score was set. Updates and scores are merged in time
-- order.
CREATE PERFETTO TABLE _oom_update_of_score AS
WITH both_kinds AS (
  SELECT ts, 0 AS kind, ts AS update_ts, CAST(NULL AS BIGINT) AS score_id
  FROM _oom_updates
  UNION ALL
  SELECT ts, 1 AS kind, CAST(NULL AS BIGINT) AS update_ts, id AS score_id
  FROM _oom_scores
)
SELECT score_id, update_ts
FROM (
  SELECT score_id, max(update_ts) OVER (ORDER BY ts, kind) AS update_ts
  FROM both_kinds
)
WHERE score_id IS NOT NULL;

-- Periods in which a process had a constant oom score, with the update that set it.
CREATE PERFETTO TABLE _oom_adjuster_intervals AS
SELECT
  score.ts,
  score.dur,
  CAST(score.value AS BIGINT) AS score,
  process.upid,
  process.name AS process_name,
  process.android_appid,
  updating.id AS oom_adj_id,
  updating.ts AS oom_adj_ts,
  updating.dur AS oom_adj_dur,
  updating.track_id AS oom_adj_track_id,
  updating.thread_name AS oom_adj_thread_name,
  updating.reason AS oom_adj_reason,
  updating.caused_by AS oom_adj_trigger
FROM _oom_scores AS score
JOIN process ON process.upid = score.upid
LEFT JOIN _oom_update_of_score AS link ON link.score_id = score.id
LEFT JOIN _oom_updates AS updating ON updating.ts = link.update_ts;

-- A period in which a process had a constant oom score, with the cause of the score.
CREATE PERFETTO VIEW android_oom_adj_intervals(
  -- Time when the score was set, ns in trace time.
  ts TIMESTAMP,
  -- Time until the score changed, ns.
  dur DURATION,
  -- Oom score; a lower score is more important.
  score LONG,
  -- Meaning of the score, as `android_oom_adj_score_to_bucket_name` returns it.
  bucket STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Slice of the last score update by the system server; NULL if unknown. Join with `slice` on
  -- `id`.
  oom_adj_id LONG,
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
  oom_adj_trigger STRING
) AS
SELECT
  ts,
  dur,
  score,
  android_oom_adj_score_to_bucket_name(score) AS bucket,
  upid,
  process_name,
  oom_adj_id,
  oom_adj_ts,
  oom_adj_dur,
  oom_adj_track_id,
  oom_adj_thread_name,
  oom_adj_reason,
  oom_adj_trigger
FROM _oom_adjuster_intervals;
