-- Counters that apps report at the end of CUJs, such as the number of missed frames.

INCLUDE PERFETTO MODULE android.cujs.base;

-- Counters of CUJs, from process tracks `J<name>#<counter>`.
CREATE PERFETTO TABLE _cuj_counters AS
SELECT
  counter.id,
  counter.ts,
  track.upid,
  _extract_cuj_name_from_slice(split_part(track.name, '#', 1)) AS cuj_name,
  split_part(track.name, '#', 2) AS counter_name,
  CAST(counter.value AS BIGINT) AS value
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name GLOB 'J<*>#*';

-- Time in which the counters of each CUJ are reported: from its end, or from up to 4 ms before it
-- in apps that report early, to the end of the next CUJ with the same name.
CREATE PERFETTO TABLE _cuj_report_times AS
SELECT
  cuj_id,
  upid,
  cuj_name,
  cuj_slice_name,
  CASE
    WHEN process_name GLOB 'com.android.*' THEN ts_end
    WHEN process_name = 'com.google.android.apps.nexuslauncher' THEN ts_end
    ELSE greatest(ts, ts_end - 4000000)
  END AS from_ts,
  lead(ts_end) OVER (PARTITION BY upid, cuj_name ORDER BY ts_end, cuj_id) AS until_ts
FROM android_jank_cuj;

-- First value of each counter in the report of each CUJ.
CREATE PERFETTO TABLE _cuj_reported_values AS
SELECT cuj_id, counter_name, value
FROM (
  SELECT
    report.cuj_id,
    counted.counter_name,
    counted.value,
    row_number() OVER (
      PARTITION BY report.cuj_id, counted.counter_name ORDER BY counted.ts, counted.id
    ) AS nth
  FROM _cuj_report_times AS report
  JOIN _cuj_counters AS counted
    ON counted.upid = report.upid
    AND counted.cuj_name = report.cuj_name
    AND counted.ts >= report.from_ts
    AND (report.until_ts IS NULL OR counted.ts <= report.until_ts)
)
WHERE nth = 1;

-- Callbacks that each CUJ missed, from instants `FT#Missed…` on the track named like the CUJ slice.
CREATE PERFETTO TABLE _cuj_missed_callbacks AS
SELECT
  report.cuj_id,
  count(*) FILTER (WHERE mark.name GLOB '*SF*') AS sf,
  count(*) FILTER (WHERE mark.name GLOB '*HWUI*') AS hwui
FROM _cuj_report_times AS report
JOIN track ON track.name = report.cuj_slice_name
JOIN slice AS mark
  ON mark.track_id = track.id
  AND mark.ts >= report.from_ts
  AND (report.until_ts IS NULL OR mark.ts <= report.until_ts)
WHERE mark.name GLOB '*FT#Missed*'
GROUP BY report.cuj_id;

-- The reported counters of a CUJ; NULL for those that were not reported.
CREATE PERFETTO TABLE _android_jank_cuj_counter_metrics(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`.
  cuj_id LONG,
  -- Name of the CUJ.
  cuj_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Result: `completed`; NULL if no mark states it.
  state STRING,
  -- Number of frames.
  total_frames LONG,
  -- Number of missed frames.
  missed_frames LONG,
  -- Number of frames that the app missed.
  missed_app_frames LONG,
  -- Number of frames that SurfaceFlinger missed.
  missed_sf_frames LONG,
  -- Maximum number of consecutive missed frames.
  missed_frames_max_successive LONG,
  -- Duration of the animation, ms.
  anim_duration_ms LONG,
  -- Number of missed frames, weighted by severity.
  weighted_missed_frames DOUBLE,
  -- Number of frames that the app missed, weighted by severity.
  weighted_missed_app_frames DOUBLE,
  -- Number of frames that SurfaceFlinger missed, weighted by severity.
  weighted_missed_sf_frames DOUBLE,
  -- Maximum duration of a frame, ns.
  frame_dur_max LONG,
  -- Number of missed callbacks of SurfaceFlinger.
  sf_callback_missed_frames LONG,
  -- Number of missed callbacks of the renderer (HWUI).
  hwui_callback_missed_frames LONG
) AS
WITH reported AS (
  SELECT
    cuj_id,
    max(CASE WHEN counter_name = 'totalFrames' THEN value END) AS total,
    max(CASE WHEN counter_name = 'missedFrames' THEN value END) AS missed,
    max(CASE WHEN counter_name = 'missedAppFrames' THEN value END) AS missed_app,
    max(CASE WHEN counter_name = 'missedSfFrames' THEN value END) AS missed_sf,
    max(CASE WHEN counter_name = 'maxSuccessiveMissedFrames' THEN value END) AS successive,
    max(CASE WHEN counter_name = 'totalAnimTime' THEN value END) AS anim_ms,
    max(CASE WHEN counter_name = 'weightedJank' THEN value END) AS weighted,
    max(CASE WHEN counter_name = 'weightedAppJank' THEN value END) AS weighted_app,
    max(CASE WHEN counter_name = 'weightedSfJank' THEN value END) AS weighted_sf,
    max(CASE WHEN counter_name = 'maxFrameTimeMillis' THEN value END) AS max_frame_ms
  FROM _cuj_reported_values
  GROUP BY cuj_id
)
SELECT
  cuj.cuj_id,
  cuj.cuj_name,
  cuj.upid,
  cuj.state,
  reported.total AS total_frames,
  reported.missed AS missed_frames,
  reported.missed_app AS missed_app_frames,
  reported.missed_sf AS missed_sf_frames,
  reported.successive AS missed_frames_max_successive,
  reported.anim_ms AS anim_duration_ms,
  -- Counters are integers: weights are in thousandths.
  reported.weighted / 1000.0 AS weighted_missed_frames,
  reported.weighted_app / 1000.0 AS weighted_missed_app_frames,
  reported.weighted_sf / 1000.0 AS weighted_missed_sf_frames,
  reported.max_frame_ms * 1000000 AS frame_dur_max,
  coalesce(callbacks.sf, 0) AS sf_callback_missed_frames,
  coalesce(callbacks.hwui, 0) AS hwui_callback_missed_frames
FROM android_jank_cuj AS cuj
LEFT JOIN reported ON reported.cuj_id = cuj.cuj_id
LEFT JOIN _cuj_missed_callbacks AS callbacks ON callbacks.cuj_id = cuj.cuj_id
ORDER BY cuj.cuj_id;
