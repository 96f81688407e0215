-- Figures of each frame: how late it was, and the time its threads took.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- By how much a frame missed its deadline. Known from Android 12 on.
CREATE PERFETTO TABLE android_frames_overrun(
  -- The frame.
  frame_id LONG,
  -- Its end as the compositor saw it less the end that was expected: positive where it was late.
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

-- How long the frame kept its app's main thread.
CREATE PERFETTO TABLE android_frames_ui_time(
  -- The frame.
  frame_id LONG,
  -- The duration of `Choreographer#doFrame`.
  ui_time LONG
) AS
SELECT frame_id, slice.dur AS ui_time
FROM android_frames_choreographer_do_frame AS frame
JOIN slice ON slice.id = frame.id
ORDER BY frame_id;

-- The frames, one row for each number: where processes share one, the first process's.
CREATE PERFETTO TABLE _frames_by_number AS
SELECT frame_id, do_frame_id, actual_frame_timeline_id, expected_frame_timeline_id
FROM (
  SELECT *, row_number() OVER (PARTITION BY frame_id ORDER BY upid) AS nth
  FROM android_frames
)
WHERE nth = 1;

-- How long after the vsync for apps a frame was begun.
CREATE PERFETTO TABLE android_app_vsync_delay_per_frame(
  -- The frame.
  frame_id LONG,
  -- Its beginning as the compositor saw it less the beginning that was expected.
  app_vsync_delay LONG
) AS
SELECT frame.frame_id, seen.ts - due.ts AS app_vsync_delay
FROM _frames_by_number AS frame
JOIN slice AS seen ON seen.id = frame.actual_frame_timeline_id
JOIN slice AS due ON due.id = frame.expected_frame_timeline_id
ORDER BY frame.frame_id;

-- How long the frame took over both threads, its delay included.
CREATE PERFETTO TABLE android_cpu_time_per_frame(
  -- The frame.
  frame_id LONG,
  -- How long after the vsync it was begun.
  app_vsync_delay LONG,
  -- The duration of `Choreographer#doFrame`.
  do_frame_dur DURATION,
  -- The durations of all its drawings together.
  draw_frame_dur DURATION,
  -- The three together.
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

-- What a frame's figures say of it.
CREATE PERFETTO TABLE android_frame_stats(
  -- The frame.
  frame_id LONG,
  -- By how much it missed its deadline; negative where it did not.
  overrun LONG,
  -- How long it took over both threads; where that is not known, the main thread's time and 5 ms.
  cpu_time LONG,
  -- How long it kept the main thread.
  ui_time LONG,
  -- 1 where it missed its deadline, else NULL.
  was_jank BOOL,
  -- 1 where it took more than 20 ms, else NULL.
  was_slow_frame BOOL,
  -- 1 where it took more than 50 ms, else NULL.
  was_big_jank BOOL,
  -- 1 where it took more than 200 ms, else NULL.
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
