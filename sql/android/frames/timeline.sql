-- Frames of apps: the work on the main thread, the drawing, and what the compositor expected and
-- saw of them.

INCLUDE PERFETTO MODULE android.frames.timeline_maxsdk28;

-- The slices on threads whose name is some words and then a frame's number. Others of the same
-- first words, as `Choreographer#doFrame - resynced…`, have no number there.
CREATE PERFETTO TABLE _numbered_frame_slices AS
SELECT
  slice.id,
  slice.name,
  CAST(nullif(split_part(slice.name, ' ', 2), '') AS BIGINT) AS frame_id,
  thread.utid,
  thread.upid,
  slice.ts,
  slice.dur
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
WHERE slice.name GLOB 'Choreographer#doFrame*' OR slice.name GLOB 'DrawFrame*';

-- The part of a frame that its app's main thread does.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  -- The slice, `Choreographer#doFrame <frame>`.
  id ID(slice.id),
  -- The frame's number, that of the vsync it was made for.
  frame_id LONG,
  -- The main thread.
  ui_thread_utid JOINID(thread.id),
  -- The app's process.
  upid JOINID(process.id),
  -- When the slice began.
  ts TIMESTAMP
) AS
SELECT id, frame_id, utid AS ui_thread_utid, upid, ts
FROM _numbered_frame_slices
WHERE name GLOB 'Choreographer#doFrame*' AND frame_id > 0
ORDER BY ts;

-- The part of a frame that its app's render thread does; several of one frame where several
-- surfaces are drawn.
CREATE PERFETTO TABLE android_frames_draw_frame(
  -- The slice, `DrawFrame <frame>` or `DrawFrames <frame>`.
  id ID(slice.id),
  -- The frame's number, that of the vsync it was made for.
  frame_id LONG,
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The app's process.
  upid JOINID(process.id)
) AS
SELECT id, frame_id, utid AS render_thread_utid, upid
FROM _numbered_frame_slices
WHERE name GLOB 'DrawFrame*' AND frame_id > 0
ORDER BY ts;

-- What the compositor saw of each frame and layer. The number after `#` in the layer's name tells
-- layers of one name apart.
CREATE PERFETTO TABLE _actual_frames AS
SELECT
  CAST(nullif(name, '') AS BIGINT) AS frame_id,
  upid,
  id,
  ts,
  dur,
  layer_name,
  coalesce(CAST(nullif(split_part(layer_name, '#', 2), '') AS BIGINT), 0) AS layer_number
FROM actual_frame_timeline_slice;

-- A frame of a process and one of the layers it showed; a row for each of its drawings.
CREATE PERFETTO TABLE _numbered_frames AS
SELECT
  do_frame.frame_id,
  coalesce(actual.ts, do_frame.ts) AS ts,
  coalesce(actual.dur, drawing.ts + drawing.dur - do_frame.ts) AS dur,
  do_frame.id AS do_frame_id,
  drawing.id AS draw_frame_id,
  actual.id AS actual_frame_timeline_id,
  expected.id AS expected_frame_timeline_id,
  drawing.utid AS render_thread_utid,
  do_frame.ui_thread_utid,
  CASE WHEN actual.layer_name IS NOT NULL THEN actual.layer_number END AS layer_id,
  actual.layer_name,
  expected.upid,
  process.name AS process_name
FROM android_frames_choreographer_do_frame AS do_frame
JOIN _numbered_frame_slices AS drawing
  ON drawing.frame_id = do_frame.frame_id
  AND drawing.upid = do_frame.upid
  AND drawing.name GLOB 'DrawFrame*'
JOIN process ON process.upid = do_frame.upid
LEFT JOIN _actual_frames AS actual
  ON actual.frame_id = do_frame.frame_id AND actual.upid = do_frame.upid
LEFT JOIN expected_frame_timeline_slice AS expected
  ON CAST(nullif(expected.name, '') AS BIGINT) = do_frame.frame_id
  AND expected.upid = do_frame.upid;

-- A frame of an app and one of the layers it showed, with the slices that belong to it. On
-- Android 9 and earlier, where frames have no number, one made by tpq.
CREATE PERFETTO TABLE android_frames_layers(
  -- The frame's number, that of the vsync it was made for.
  frame_id LONG,
  -- When it began: as the compositor saw it, else the beginning of the main thread's work.
  ts TIMESTAMP,
  -- How long it took: as the compositor saw it, else until drawing ended.
  dur DURATION,
  -- When it ended.
  ts_end TIMESTAMP,
  -- The slice on the main thread.
  do_frame_id JOINID(slice.id),
  -- The slice on the render thread.
  draw_frame_id JOINID(slice.id),
  -- The slice of what the compositor saw.
  actual_frame_timeline_id JOINID(slice.id),
  -- The slice of what was expected.
  expected_frame_timeline_id JOINID(slice.id),
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The main thread.
  ui_thread_utid JOINID(thread.id),
  -- The number in the layer's name.
  layer_id LONG,
  -- The layer.
  layer_name STRING,
  -- The process; NULL where nothing was expected of the frame.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING
) AS
WITH has_timeline AS (
  SELECT count(*) > 0 AS known FROM actual_frame_timeline_slice
)
SELECT
  frame_id, ts, dur, ts + dur AS ts_end, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid, layer_id, layer_name, upid,
  process_name
FROM _numbered_frames
CROSS JOIN has_timeline
WHERE has_timeline.known
UNION ALL
SELECT
  frame_id, ts, dur, ts + dur AS ts_end, do_frame_id, draw_frame_id,
  CAST(NULL AS BIGINT) AS actual_frame_timeline_id,
  CAST(NULL AS BIGINT) AS expected_frame_timeline_id,
  render_thread_utid, ui_thread_utid, CAST(NULL AS BIGINT) AS layer_id,
  CAST(NULL AS TEXT) AS layer_name, upid, process_name
FROM _frames_maxsdk_28
CROSS JOIN has_timeline
WHERE NOT has_timeline.known
ORDER BY frame_id;

-- A frame of an app, over all layers it showed.
CREATE PERFETTO TABLE android_frames(
  -- The frame's number, that of the vsync it was made for.
  frame_id LONG,
  -- When it began: as the compositor saw it, else the beginning of the main thread's work.
  ts TIMESTAMP,
  -- How long it took: as the compositor saw it, else until drawing ended. The longest of its
  -- layers'.
  dur DURATION,
  -- The slice on the main thread.
  do_frame_id JOINID(slice.id),
  -- The first slice on the render thread.
  draw_frame_id JOINID(slice.id),
  -- The first slice of what the compositor saw.
  actual_frame_timeline_id JOINID(slice.id),
  -- The slice of what was expected.
  expected_frame_timeline_id JOINID(slice.id),
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The main thread.
  ui_thread_utid JOINID(thread.id),
  -- How many slices the compositor's view of it has.
  actual_frame_timeline_count LONG,
  -- How many slices tell what was expected: 1.
  expected_frame_timeline_count LONG,
  -- How many drawings it has.
  draw_frame_count LONG,
  -- The process; NULL where nothing was expected of the frame.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING
) AS
SELECT
  frame_id,
  min(ts) AS ts,
  max(dur) AS dur,
  min(do_frame_id) AS do_frame_id,
  min(draw_frame_id) AS draw_frame_id,
  min(actual_frame_timeline_id) AS actual_frame_timeline_id,
  min(expected_frame_timeline_id) AS expected_frame_timeline_id,
  min(render_thread_utid) AS render_thread_utid,
  min(ui_thread_utid) AS ui_thread_utid,
  count(DISTINCT actual_frame_timeline_id) AS actual_frame_timeline_count,
  1 AS expected_frame_timeline_count,
  count(DISTINCT draw_frame_id) AS draw_frame_count,
  upid,
  min(process_name) AS process_name
FROM android_frames_layers
GROUP BY frame_id, upid
ORDER BY frame_id, upid;

-- The first frame that began after a moment; no row where there is none.
CREATE PERFETTO FUNCTION android_first_frame_after(
  -- The moment.
  ts TIMESTAMP
)
RETURNS TABLE(
  -- The frame's number.
  frame_id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The slice on the main thread.
  do_frame_id JOINID(slice.id),
  -- The first slice on the render thread.
  draw_frame_id JOINID(slice.id),
  -- The first slice of what the compositor saw.
  actual_frame_timeline_id JOINID(slice.id),
  -- The slice of what was expected.
  expected_frame_timeline_id JOINID(slice.id),
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The main thread.
  ui_thread_utid JOINID(thread.id)
) AS
SELECT
  frame_id, ts, dur, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid
FROM android_frames
WHERE android_frames.ts > $ts
ORDER BY android_frames.ts
LIMIT 1;
