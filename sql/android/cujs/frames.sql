-- Frames of CUJs: which were missed, by the app or by SurfaceFlinger, and how long they took.

INCLUDE PERFETTO MODULE android.cujs.base;

INCLUDE PERFETTO MODULE android.cujs.boundaries;

INCLUDE PERFETTO MODULE android.cujs.relevant_slices;

INCLUDE PERFETTO MODULE android.cujs.threads;

INCLUDE PERFETTO MODULE android.frames.jank_type;

INCLUDE PERFETTO MODULE android.frames.timeline;

INCLUDE PERFETTO MODULE android.surfaceflinger;

-- Vsyncs with callbacks that the frame tracker of an app missed, from instants
-- `…FT#Missed<SF or HWUI>Callback#<vsync>`.
CREATE PERFETTO TABLE _vsync_missed_callback AS
SELECT
  CAST(nullif(split_part(name, 'Callback#', 2), '') AS BIGINT) AS vsync,
  max(CASE WHEN name GLOB '*SF*' THEN 1 ELSE 0 END) AS sf_callback_missed,
  max(CASE WHEN name GLOB '*HWUI*' THEN 1 ELSE 0 END) AS hwui_callback_missed
FROM slice
WHERE name GLOB '*FT#Missed*Callback*'
GROUP BY 1;

-- Frames between the vsyncs of each CUJ, over all layers; only the layer of the CUJ, if it is
-- known. A frame that is missed on one layer is missed. Without an expected duration, that of a
-- display with 60 Hz counts.
CREATE PERFETTO TABLE _android_jank_cuj_frame_timeline AS
WITH actual_frames AS (
  SELECT
    frame.*,
    CAST(frame.name AS BIGINT) AS vsync,
    expected.dur AS expected_dur
  FROM actual_frame_timeline_slice AS frame
  LEFT JOIN expected_frame_timeline_slice AS expected
    ON expected.upid = frame.upid AND expected.name = frame.name
  WHERE frame.dur > 0
)
SELECT
  bounds.cuj_id,
  frame.vsync,
  max(android_is_app_jank_type(frame.jank_type)) AS app_missed,
  max(android_is_sf_jank_type(frame.jank_type)) AS sf_missed,
  coalesce(max(abs(frame.jank_score)), 0) AS jank_score,
  coalesce(max(missed.sf_callback_missed), 0) AS sf_callback_missed,
  coalesce(max(missed.hwui_callback_missed), 0) AS hwui_callback_missed,
  min(frame.on_time_finish) AS on_time_finish,
  max(frame.ts + frame.dur) AS ts_end_actual,
  max(frame.dur) AS dur,
  coalesce(max(frame.expected_dur), 16600000) AS dur_expected,
  count(DISTINCT frame.layer_name) AS number_of_layers_for_frame,
  max(frame.layer_name) AS frame_layer_name
FROM _android_jank_cuj_vsync_boundary AS bounds
JOIN actual_frames AS frame ON frame.vsync BETWEEN bounds.vsync_min AND bounds.vsync_max
LEFT JOIN android_jank_cuj_layer_name AS layer ON layer.cuj_id = bounds.cuj_id
LEFT JOIN _vsync_missed_callback AS missed ON missed.vsync = frame.vsync
WHERE layer.layer_name IS NULL OR frame.layer_name = layer.layer_name
GROUP BY bounds.cuj_id, frame.vsync
ORDER BY bounds.cuj_id, frame.vsync;

-- Frames of each CUJ that the GPU drew something for.
CREATE PERFETTO TABLE _android_jank_cuj_frame(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`.
  cuj_id LONG,
  -- Number of the frame in the CUJ, from 1.
  frame_number LONG,
  -- Vsync id of the frame.
  vsync LONG,
  -- Start of the frame, as in `_android_jank_cuj_main_thread_frame_boundary`, ns in trace time.
  ts TIMESTAMP,
  -- Expected start of the frame, ns in trace time; NULL if unknown.
  ts_expected TIMESTAMP,
  -- Start of the work on the main thread, ns in trace time.
  ts_do_frame_start TIMESTAMP,
  -- Number of fences that the GPU signaled for the frame.
  gpu_fence_count LONG,
  -- Whether the GPU drew anything: 1.
  drew_anything LONG,
  -- Whether the app missed the frame.
  app_missed LONG,
  -- Whether SurfaceFlinger missed the frame.
  sf_missed LONG,
  -- Severity of the jank; 0 for none.
  jank_score DOUBLE,
  -- Whether a callback of SurfaceFlinger was missed.
  sf_callback_missed LONG,
  -- Whether a callback of the renderer (HWUI) was missed.
  hwui_callback_missed LONG,
  -- Whether the frame finished before its deadline.
  on_time_finish LONG,
  -- Duration from `ts` to the actual end, ns.
  dur DURATION,
  -- Duration from `ts_do_frame_start` to the actual end, ns.
  dur_unadjusted DURATION,
  -- Expected duration, ns.
  dur_expected DURATION,
  -- Actual end, ns in trace time.
  ts_end TIMESTAMP
) AS
WITH fences AS (
  SELECT cuj_id, vsync, count(fence_idx) AS number
  FROM _android_jank_cuj_gpu_completion_fence
  GROUP BY cuj_id, vsync
),
drawn AS (
  SELECT
    period.cuj_id,
    row_number() OVER (PARTITION BY period.cuj_id ORDER BY period.vsync) AS frame_number,
    period.vsync,
    period.ts,
    period.ts_expected,
    period.ts_do_frame_start,
    fences.number AS gpu_fence_count
  FROM _android_jank_cuj_main_thread_frame_boundary AS period
  JOIN fences ON fences.cuj_id = period.cuj_id AND fences.vsync = period.vsync
)
SELECT
  drawn.cuj_id,
  drawn.frame_number,
  drawn.vsync,
  drawn.ts,
  drawn.ts_expected,
  drawn.ts_do_frame_start,
  drawn.gpu_fence_count,
  CASE WHEN drawn.gpu_fence_count > 0 THEN 1 ELSE 0 END AS drew_anything,
  timeline.app_missed,
  timeline.sf_missed,
  timeline.jank_score,
  timeline.sf_callback_missed,
  timeline.hwui_callback_missed,
  timeline.on_time_finish,
  timeline.ts_end_actual - drawn.ts AS dur,
  timeline.ts_end_actual - drawn.ts_do_frame_start AS dur_unadjusted,
  timeline.dur_expected,
  timeline.ts_end_actual AS ts_end
FROM drawn
JOIN _android_jank_cuj_frame_timeline AS timeline
  ON timeline.cuj_id = drawn.cuj_id AND timeline.vsync = drawn.vsync
ORDER BY drawn.cuj_id, drawn.vsync;

-- Frames of SurfaceFlinger that show frames of each CUJ. The columns are those of
-- `_android_jank_cuj_frame` where they apply; `app_missed` is always NULL.
CREATE PERFETTO TABLE _android_jank_cuj_sf_frame AS
WITH shown AS (
  SELECT DISTINCT bounds.cuj_id, frame.display_frame_token AS vsync
  FROM _android_jank_cuj_vsync_boundary AS bounds
  JOIN actual_frame_timeline_slice AS frame
    ON frame.upid = bounds.upid
    AND CAST(frame.name AS BIGINT) BETWEEN bounds.vsync_min AND bounds.vsync_max
  LEFT JOIN android_jank_cuj_layer_name AS layer ON layer.cuj_id = bounds.cuj_id
  WHERE layer.layer_name IS NULL OR frame.layer_name = layer.layer_name
),
frames AS (
  SELECT DISTINCT
    period.cuj_id,
    period.vsync,
    period.ts,
    period.ts_main_thread_start,
    period.ts_end,
    period.dur,
    actual.jank_tag = 'Self Jank' AS sf_missed,
    actual.jank_score,
    actual.jank_tag,
    actual.jank_type,
    actual.prediction_type,
    actual.present_type,
    actual.gpu_composition,
    coalesce(expected.dur, 16600000) AS dur_expected
  FROM _android_jank_cuj_sf_main_thread_frame_boundary AS period
  JOIN shown ON shown.cuj_id = period.cuj_id AND shown.vsync = period.vsync
  JOIN _android_sf_process AS compositor
  JOIN actual_frame_timeline_slice AS actual
    ON actual.upid = compositor.upid AND CAST(actual.name AS BIGINT) = period.vsync
  LEFT JOIN expected_frame_timeline_slice AS expected
    ON expected.upid = actual.upid AND expected.name = actual.name
)
SELECT
  cuj_id,
  vsync,
  ts,
  ts_main_thread_start,
  ts_end,
  dur,
  sf_missed,
  CAST(NULL AS BIGINT) AS app_missed,
  jank_score,
  jank_tag,
  jank_type,
  prediction_type,
  present_type,
  gpu_composition,
  dur_expected,
  row_number() OVER (PARTITION BY cuj_id ORDER BY vsync) AS frame_number
FROM frames
ORDER BY cuj_id, vsync;

-- A CUJ slice with a summary of its frames. Canceled CUJs are included, without numbers of frames.
CREATE PERFETTO TABLE android_jank_cuj_slice_summary(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`, which has no canceled CUJs.
  cuj_id LONG,
  -- Name of the CUJ slice, `J<name>`.
  name STRING,
  -- Name of the process.
  process_name STRING,
  -- Result: `completed` or `canceled`; NULL if no mark states it.
  state STRING,
  -- Number of frames; NULL if unknown.
  total_frames LONG,
  -- Number of frames that the app missed; NULL if unknown.
  missed_app_frames LONG,
  -- Number of frames that SurfaceFlinger missed; NULL if unknown.
  missed_sf_frames LONG,
  -- Name of the layer, as in `android_jank_cuj_layer_name`.
  layer_name STRING,
  -- Start of the first frame on the main thread, ns in trace time; start of the CUJ slice if
  -- unknown.
  ts TIMESTAMP,
  -- Duration until the end of the last frame on the main thread, ns; duration of the CUJ slice if
  -- unknown.
  dur DURATION,
  -- Track of the CUJ slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- CUJ slice; join with `slice` on `id`.
  slice_id JOINID(slice.id)
) AS
WITH counted AS (
  SELECT
    cuj_id,
    count(*) AS total,
    sum(app_missed) AS missed_by_app,
    sum(sf_missed) AS missed_by_sf
  FROM _android_jank_cuj_frame_timeline
  GROUP BY cuj_id
)
SELECT
  cuj.cuj_id,
  cuj.cuj_slice_name AS name,
  cuj.process_name,
  result.state,
  counted.total AS total_frames,
  counted.missed_by_app AS missed_app_frames,
  counted.missed_by_sf AS missed_sf_frames,
  layer.layer_name,
  coalesce(period.ts, cuj.ts) AS ts,
  coalesce(period.dur, cuj.dur) AS dur,
  slice.track_id,
  cuj.slice_id
FROM _jank_cujs_slices AS cuj
JOIN slice ON slice.id = cuj.slice_id
JOIN _cuj_states AS result ON result.cuj_id = cuj.cuj_id
LEFT JOIN android_jank_cuj AS kept ON kept.cuj_id = cuj.cuj_id
LEFT JOIN counted ON counted.cuj_id = kept.cuj_id
LEFT JOIN _android_jank_cuj_main_thread_cuj_boundary AS period ON period.cuj_id = kept.cuj_id
LEFT JOIN android_jank_cuj_layer_name AS layer ON layer.cuj_id = cuj.cuj_id
ORDER BY cuj.cuj_id;
