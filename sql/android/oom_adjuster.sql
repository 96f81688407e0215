-- How important each process was to the system: its oom score over time, and what made it change.

INCLUDE PERFETTO MODULE counters.intervals;

-- Which of few kinds an oom score means.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_bucket_name(
  -- The score.
  oom_score LONG
)
-- `cached`, `background`, `job`, `foreground_service`, `bfgs`, `foreground` or `system`.
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

-- Which of the activity manager's kinds an oom score means.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_detailed_bucket_name(
  -- The score.
  value LONG,
  -- The process's app id, which tells apps, from 10000 on, from others where the score means
  -- nothing.
  android_appid LONG
)
-- As `visible_app` or `persistent_proc`.
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
    -- Below these only some scores have a meaning.
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

-- The updates of scores by the system server. Their name ends in the reason, and the slice around
-- them is what triggered them.
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

-- The scores, one row for every change.
CREATE PERFETTO TABLE _oom_scores AS
SELECT changes.id, changes.ts, changes.dur, changes.value, track.upid
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN process_counter_track AS of_process ON of_process.id = counter.track_id
  WHERE of_process.name = 'oom_score_adj'
)) AS changes
JOIN process_counter_track AS track ON track.id = changes.track_id;

-- The last update that had begun when each score was set: both in one order of time, the id of an
-- update goes down to the scores after it.
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

-- A period in which a process kept its oom score, and the update that set it.
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

-- A period in which a process kept its oom score, and why it had been set.
CREATE PERFETTO VIEW android_oom_adj_intervals(
  -- When the score was set.
  ts TIMESTAMP,
  -- How long it stayed.
  dur DURATION,
  -- The score: lower is more important.
  score LONG,
  -- What it means, as `android_oom_adj_score_to_bucket_name` has it.
  bucket STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The system server's last update of scores before that: its slice.
  oom_adj_id LONG,
  -- When the update began.
  oom_adj_ts TIMESTAMP,
  -- How long the update took.
  oom_adj_dur DURATION,
  -- The update's track.
  oom_adj_track_id JOINID(track.id),
  -- The update's thread.
  oom_adj_thread_name STRING,
  -- Why the scores were updated.
  oom_adj_reason STRING,
  -- The slice in which they were updated.
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
