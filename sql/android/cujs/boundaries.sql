-- Periods of CUJs and of their frames on each thread of the app and of SurfaceFlinger.

INCLUDE PERFETTO MODULE android.cujs.base;

INCLUDE PERFETTO MODULE android.cujs.relevant_slices;

INCLUDE PERFETTO MODULE android.surfaceflinger;

-- First and last vsync of each CUJ: those that marks state, else those of its frames.
CREATE PERFETTO TABLE _android_jank_cuj_vsync_boundary AS
SELECT
  cuj.cuj_id,
  cuj.upid,
  cuj.layer_id,
  coalesce(cuj.begin_vsync, min(frame.vsync)) AS vsync_min,
  coalesce(cuj.end_vsync, max(frame.vsync)) AS vsync_max
FROM android_jank_cuj AS cuj
JOIN _android_jank_cuj_do_frames AS frame ON frame.cuj_id = cuj.cuj_id
GROUP BY cuj.cuj_id, cuj.upid, cuj.layer_id, cuj.begin_vsync, cuj.end_vsync
ORDER BY cuj.cuj_id;

-- Expected start of each frame of a CUJ in the frame timeline, and the actual start and end over
-- all its layers.
CREATE PERFETTO TABLE _cuj_frame_timelines AS
SELECT
  bounds.cuj_id,
  CAST(expected.name AS BIGINT) AS vsync,
  expected.ts AS ts_expected,
  min(actual.ts) AS ts_actual,
  max(actual.ts + actual.dur) AS ts_end_actual
FROM _android_jank_cuj_vsync_boundary AS bounds
JOIN expected_frame_timeline_slice AS expected ON expected.upid = bounds.upid
JOIN actual_frame_timeline_slice AS actual
  ON actual.upid = expected.upid AND actual.name = expected.name
WHERE
  expected.dur > 0
  AND CAST(expected.name AS BIGINT) BETWEEN bounds.vsync_min AND bounds.vsync_max
GROUP BY bounds.cuj_id, expected.name, expected.ts;

-- Period of each frame of a CUJ on the main thread: from the expected start, or the end of the
-- previous frame if that is later, to the end of the work. Periods of consecutive frames do not
-- overlap. The expected start does not count where the work does not lie within the actual frame,
-- with 1 ms of tolerance at the start: clocks drift after a suspension, and the start of a very
-- late frame is not recorded. Then the period starts with the work.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_frame_boundary AS
WITH frames AS (
  SELECT
    frame.cuj_id,
    frame.utid,
    frame.vsync,
    frame.ts AS ts_do_frame_start,
    frame.ts_end,
    coalesce(lag(frame.ts_end) OVER (PARTITION BY frame.cuj_id ORDER BY frame.vsync), -1)
      AS ts_prev_do_frame_end
  FROM _android_jank_cuj_do_frames AS frame
),
starts AS (
  SELECT
    frames.*,
    timeline.ts_expected,
    CASE
      WHEN timeline.ts_expected IS NULL THEN frames.ts_do_frame_start
      ELSE greatest(timeline.ts_expected, frames.ts_prev_do_frame_end)
    END AS ts
  FROM frames
  LEFT JOIN _cuj_frame_timelines AS timeline
    ON timeline.cuj_id = frames.cuj_id
    AND timeline.vsync = frames.vsync
    AND frames.ts_do_frame_start BETWEEN timeline.ts_actual - 1000000 AND timeline.ts_end_actual
)
SELECT
  cuj_id, utid, vsync, ts_do_frame_start, ts_end, ts_prev_do_frame_end, ts_expected, ts,
  ts_end - ts AS dur
FROM starts
ORDER BY cuj_id, vsync;

-- Period of each CUJ on the main thread, from the first to the last frame.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_main_thread_frame_boundary
GROUP BY cuj_id, utid
ORDER BY cuj_id, utid;

-- Period of each CUJ in the app: from the start on the main thread to the actual end of the last
-- frame. A last frame that shows nothing has no actual end; then the period ends with the CUJ slice
-- or the last work on the main thread.
CREATE PERFETTO TABLE _android_jank_cuj_boundary AS
WITH presented AS (
  SELECT bounds.cuj_id, max(actual.ts + actual.dur) AS ts_end
  FROM _android_jank_cuj_vsync_boundary AS bounds
  JOIN actual_frame_timeline_slice AS actual
    ON actual.upid = bounds.upid AND CAST(actual.name AS BIGINT) = bounds.vsync_max
  GROUP BY bounds.cuj_id
),
worked AS (
  SELECT cuj_id, max(ts_end) AS ts_end
  FROM _android_jank_cuj_do_frames
  GROUP BY cuj_id
),
periods AS (
  SELECT
    cuj.cuj_id,
    cuj.upid,
    main_thread.ts,
    coalesce(presented.ts_end, greatest(worked.ts_end, cuj.ts_end)) AS ts_end
  FROM android_jank_cuj AS cuj
  JOIN _android_jank_cuj_main_thread_cuj_boundary AS main_thread
    ON main_thread.cuj_id = cuj.cuj_id
  JOIN worked ON worked.cuj_id = cuj.cuj_id
  LEFT JOIN presented ON presented.cuj_id = cuj.cuj_id
)
SELECT cuj_id, upid, ts, ts_end, ts_end - ts AS dur
FROM periods
ORDER BY cuj_id;

-- Period of each frame of a CUJ on the render thread: from the first `postAndWait` slice of the
-- frame on the main thread, or the end of the previous drawing if that is later, to the end of the
-- drawing. It never starts after the drawing itself.
CREATE PERFETTO TABLE _android_jank_cuj_render_thread_frame_boundary AS
WITH drawings AS (
  SELECT
    cuj_id,
    utid,
    vsync,
    ts,
    ts_end,
    coalesce(lag(ts_end) OVER (PARTITION BY cuj_id ORDER BY vsync, ts), -1) AS previous_end
  FROM _android_jank_cuj_draw_frame_slice
),
frames AS (
  SELECT
    cuj_id,
    utid,
    vsync,
    min(ts) AS ts_draw_frame_start,
    min(previous_end) AS ts_prev_draw_frame_end,
    max(ts_end) AS ts_end
  FROM drawings
  GROUP BY cuj_id, utid, vsync
),
posted AS (
  SELECT frame.cuj_id, frame.vsync, min(waiting.ts) AS ts
  FROM slice AS waiting
  JOIN ancestor_slice(waiting.id) AS above
  JOIN _android_jank_cuj_do_frames AS frame ON frame.id = above.id
  WHERE waiting.name = 'postAndWait'
  GROUP BY frame.cuj_id, frame.vsync
),
starts AS (
  SELECT
    frames.*,
    posted.ts AS ts_expected,
    least(greatest(posted.ts, frames.ts_prev_draw_frame_end), frames.ts_draw_frame_start) AS ts
  FROM frames
  JOIN posted ON posted.cuj_id = frames.cuj_id AND posted.vsync = frames.vsync
)
SELECT
  cuj_id, utid, vsync, ts_expected, ts_draw_frame_start, ts_prev_draw_frame_end, ts, ts_end,
  ts_end - ts AS dur
FROM starts
ORDER BY cuj_id, vsync;

-- Period of each CUJ on the render thread, from the first to the last frame.
CREATE PERFETTO TABLE _android_jank_cuj_render_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_render_thread_frame_boundary
GROUP BY cuj_id, utid
ORDER BY cuj_id, utid;

-- First and last vsync of SurfaceFlinger for each CUJ.
CREATE PERFETTO TABLE _android_jank_cuj_sf_vsync_boundary AS
SELECT cuj_id, min(vsync) AS vsync_min, max(vsync) AS vsync_max
FROM _android_jank_cuj_sf_root_slice
GROUP BY cuj_id
ORDER BY cuj_id;

-- Period of each frame of SurfaceFlinger for a CUJ on the main thread: from the expected start to
-- the end of `composite`, or of `onMessageInvalidate` on older builds.
CREATE PERFETTO TABLE _android_jank_cuj_sf_main_thread_frame_boundary AS
WITH work AS (
  SELECT
    cuj_id,
    utid,
    vsync,
    min(CASE WHEN name GLOB 'commit *' THEN ts END) AS ts,
    max(CASE WHEN name GLOB 'composite *' THEN ts_end END) AS ts_end
  FROM _android_jank_cuj_sf_root_slice
  GROUP BY cuj_id, utid, vsync
  UNION ALL
  SELECT cuj_id, utid, vsync, ts, ts_end
  FROM _android_jank_cuj_sf_root_slice
  WHERE name GLOB 'onMessageInvalidate *'
)
SELECT
  work.cuj_id,
  work.utid,
  work.vsync,
  expected.ts,
  work.ts AS ts_main_thread_start,
  work.ts_end,
  work.ts_end - expected.ts AS dur
FROM work
JOIN _android_sf_process AS compositor
JOIN expected_frame_timeline_slice AS expected
  ON expected.upid = compositor.upid AND CAST(expected.name AS BIGINT) = work.vsync
WHERE work.ts IS NOT NULL AND work.ts_end IS NOT NULL
ORDER BY work.cuj_id, work.vsync;

-- Period of each CUJ on the main thread of SurfaceFlinger, from the first to the last frame.
CREATE PERFETTO TABLE _android_jank_cuj_sf_main_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_sf_main_thread_frame_boundary
GROUP BY cuj_id, utid
ORDER BY cuj_id, utid;

-- Period of each frame of SurfaceFlinger for a CUJ in the render engine: from the start of
-- `composeSurfaces` on the main thread to the end of the drawing.
CREATE PERFETTO TABLE _android_jank_cuj_sf_render_engine_frame_boundary AS
SELECT
  cuj_id,
  utid,
  vsync,
  ts_compose_surfaces AS ts,
  ts AS ts_draw_layers_start,
  ts_end,
  ts_end - ts_compose_surfaces AS dur
FROM _android_jank_cuj_sf_draw_layers_slice
ORDER BY cuj_id, vsync;

-- Period of each CUJ in SurfaceFlinger: that on its main thread.
CREATE PERFETTO TABLE _android_jank_cuj_sf_boundary AS
SELECT cuj_id, ts, ts_end, dur
FROM _android_jank_cuj_sf_main_thread_cuj_boundary
ORDER BY cuj_id;
