-- Metrics of each frame: delay and time on its threads.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Time by which each frame missed its deadline. Recorded from Android 12 on.
CREATE PERFETTO TABLE android_frames_overrun(
  -- Frame number.
  frame_id LONG,
  -- Actual end minus expected end of the frame, ns; positive for a late frame.
  overrun LONG
) AS
WITH seen AS (
  SELECT name, min(id) AS id
  FROM actual_frame_timeline_slice
  GROUP BY name
),
expected AS (
  SELECT name, min(id) AS id
  FROM expected_frame_timeline_slice
  GROUP BY name
)
SELECT
  CAST(nullif(seen.name, '') AS BIGINT) AS frame_id,
  (seen_slice.ts + seen_slice.dur) - (due.ts + due.dur) AS overrun
FROM seen
JOIN expected ON expected.name = seen.name
JOIN slice AS seen_slice ON seen_slice.id = seen.id
JOIN slice AS due ON due.id = expected.id
ORDER BY 1;

-- Time of each frame on the main thread of the app.
CREATE PERFETTO TABLE android_frames_ui_time(
  -- Frame number.
  frame_id LONG,
  -- Duration of the `Choreographer#doFrame` slice, ns.
  ui_time LONG
) AS
SELECT frame_id, slice.dur AS ui_time
FROM android_frames_choreographer_do_frame AS frame
JOIN slice ON slice.id = frame.id
ORDER BY frame_id;

-- Frames, one row per frame number. Of several processes with the same number, the first one
-- counts.
CREATE PERFETTO TABLE _frames_by_number AS
SELECT frame_id, do_frame_id, actual_frame_timeline_id, expected_frame_timeline_id
FROM (
  SELECT *, row_number() OVER (PARTITION BY frame_id ORDER BY upid) AS nth
  FROM android_frames
)
WHERE nth = 1;

-- Delay of each frame after the app vsync.
CREATE PERFETTO TABLE android_app_vsync_delay_per_frame(
  -- Frame number.
  frame_id LONG,
  -- Actual start minus expected start of the frame, ns.
  app_vsync_delay LONG
) AS
SELECT frame.frame_id, seen.ts - due.ts AS app_vsync_delay
FROM _frames_by_number AS frame
JOIN slice AS seen ON seen.id = frame.actual_frame_timeline_id
JOIN slice AS due ON due.id = frame.expected_frame_timeline_id
ORDER BY frame.frame_id;

-- Time of each frame on both threads, including its delay.
CREATE PERFETTO TABLE android_cpu_time_per_frame(
  -- Frame number.
  frame_id LONG,
  -- Delay of the frame after the app vsync, ns.
  app_vsync_delay LONG,
  -- Duration of the `Choreographer#doFrame` slice, ns.
  do_frame_dur DURATION,
  -- Total duration of all `DrawFrame` slices of the frame, ns.
  draw_frame_dur DURATION,
  -- Sum of `app_vsync_delay`, `do_frame_dur` and `draw_frame_dur`, ns.
  cpu_time LONG
) AS
WITH drawn AS (
  SELECT frame_id, sum(slice.dur) AS dur
  FROM android_frames_draw_frame AS drawing
  JOIN slice ON slice.id = drawing.id
  GROUP BY frame_id
)
SELECT
  frame.frame_id,
  delay.app_vsync_delay,
  do_frame.dur AS do_frame_dur,
  drawn.dur AS draw_frame_dur,
  delay.app_vsync_delay + do_frame.dur + drawn.dur AS cpu_time
FROM _frames_by_number AS frame
JOIN android_app_vsync_delay_per_frame AS delay ON delay.frame_id = frame.frame_id
JOIN drawn ON drawn.frame_id = frame.frame_id
JOIN slice AS do_frame ON do_frame.id = frame.do_frame_id
ORDER BY frame.frame_id;

-- Metrics and jank classes of a frame.
CREATE PERFETTO TABLE android_frame_stats(
  -- Frame number.
  frame_id LONG,
  -- Time by which the frame missed its deadline, ns; negative if it met the deadline.
  overrun LONG,
  -- Time of the frame on both threads, ns; if unknown, the time on the main thread plus 5 ms.
  cpu_time LONG,
  -- Time of the frame on the main thread, ns.
  ui_time LONG,
  -- 1 if the frame missed its deadline, else NULL.
  was_jank BOOL,
  -- 1 if `cpu_time` exceeds 20 ms, else NULL.
  was_slow_frame BOOL,
  -- 1 if `cpu_time` exceeds 50 ms, else NULL.
  was_big_jank BOOL,
  -- 1 if `cpu_time` exceeds 200 ms, else NULL.
  was_huge_jank BOOL
) AS
WITH timed AS (
  SELECT
    ui.frame_id,
    late.overrun,
    coalesce(cpu.cpu_time, ui.ui_time + 5000000) AS cpu_time,
    ui.ui_time
  FROM android_frames_ui_time AS ui
  JOIN android_frames_overrun AS late ON late.frame_id = ui.frame_id
  LEFT JOIN android_cpu_time_per_frame AS cpu ON cpu.frame_id = ui.frame_id
)
SELECT
  *,
  CASE WHEN overrun > 0 THEN 1 END AS was_jank,
  CASE WHEN cpu_time > 20000000 THEN 1 END AS was_slow_frame,
  CASE WHEN cpu_time > 50000000 THEN 1 END AS was_big_jank,
  CASE WHEN cpu_time > 200000000 THEN 1 END AS was_huge_jank
FROM timed
ORDER BY frame_id;
