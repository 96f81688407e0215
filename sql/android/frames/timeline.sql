-- Frames of apps: the work on the main thread, the drawing, and the expected and actual frame
-- timeline.

INCLUDE PERFETTO MODULE android.frames.timeline_maxsdk28;

-- Thread slices with a name that ends in a frame number. Slices with the same first word but no
-- number, such as `Choreographer#doFrame - resynced…`, have a NULL or zero `frame_id`.
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

-- The work of a frame on the main thread of the app.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  -- Slice `Choreographer#doFrame <frame>`.
  id ID(slice.id),
  -- Frame number: the id of the vsync that the frame was produced for.
  frame_id LONG,
  -- Main thread of the app; join with `thread` on `utid`.
  ui_thread_utid JOINID(thread.id),
  -- Process of the app; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Start of the slice, ns in trace time.
  ts TIMESTAMP
) AS
SELECT id, frame_id, utid AS ui_thread_utid, upid, ts
FROM _numbered_frame_slices
WHERE name GLOB 'Choreographer#doFrame*' AND frame_id > 0
ORDER BY ts;

-- The work of a frame on the render thread of the app. A frame that draws several surfaces has
-- several rows.
CREATE PERFETTO TABLE android_frames_draw_frame(
  -- Slice `DrawFrame <frame>` or `DrawFrames <frame>`.
  id ID(slice.id),
  -- Frame number: the id of the vsync that the frame was produced for.
  frame_id LONG,
  -- Render thread of the app; join with `thread` on `utid`.
  render_thread_utid JOINID(thread.id),
  -- Process of the app; join with `process` on `upid`.
  upid JOINID(process.id)
) AS
SELECT id, frame_id, utid AS render_thread_utid, upid
FROM _numbered_frame_slices
WHERE name GLOB 'DrawFrame*' AND frame_id > 0
ORDER BY ts;

-- Actual frame timeline of each frame and layer. The number after `#` in the layer name
-- distinguishes layers with the same name.
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

-- A frame of a process and a layer it presented, one row per draw slice.
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

-- A frame of an app and a layer it presented, with the slices of the frame. On Android 9 and
-- earlier frames have no number; tpq assigns one.
CREATE PERFETTO TABLE android_frames_layers(
  -- Frame number: the id of the vsync that the frame was produced for.
  frame_id LONG,
  -- Actual start of the frame timeline, ns in trace time; if unknown, start of the work on the main
  -- thread.
  ts TIMESTAMP,
  -- Actual duration of the frame timeline, ns; if unknown, the time until the end of drawing.
  dur DURATION,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- `Choreographer#doFrame` slice on the main thread; join with `slice` on `id`.
  do_frame_id JOINID(slice.id),
  -- Draw slice on the render thread; join with `slice` on `id`.
  draw_frame_id JOINID(slice.id),
  -- Slice of the actual frame timeline; NULL if not recorded. Join with `slice` on `id`.
  actual_frame_timeline_id JOINID(slice.id),
  -- Slice of the expected frame timeline; join with `slice` on `id`.
  expected_frame_timeline_id JOINID(slice.id),
  -- Render thread of the app; join with `thread` on `utid`.
  render_thread_utid JOINID(thread.id),
  -- Main thread of the app; join with `thread` on `utid`.
  ui_thread_utid JOINID(thread.id),
  -- Number in the layer name.
  layer_id LONG,
  -- Name of the layer.
  layer_name STRING,
  -- Process; NULL if the frame has no expected timeline. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
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

-- A frame of an app, over all layers it presented.
CREATE PERFETTO TABLE android_frames(
  -- Frame number: the id of the vsync that the frame was produced for.
  frame_id LONG,
  -- Actual start of the frame timeline, ns in trace time; if unknown, start of the work on the main
  -- thread.
  ts TIMESTAMP,
  -- Actual duration of the frame timeline, ns; if unknown, the time until the end of drawing. The
  -- maximum over the layers.
  dur DURATION,
  -- `Choreographer#doFrame` slice on the main thread; join with `slice` on `id`.
  do_frame_id JOINID(slice.id),
  -- First draw slice on the render thread; join with `slice` on `id`.
  draw_frame_id JOINID(slice.id),
  -- First slice of the actual frame timeline; NULL if not recorded. Join with `slice` on `id`.
  actual_frame_timeline_id JOINID(slice.id),
  -- Slice of the expected frame timeline; join with `slice` on `id`.
  expected_frame_timeline_id JOINID(slice.id),
  -- Render thread of the app; join with `thread` on `utid`.
  render_thread_utid JOINID(thread.id),
  -- Main thread of the app; join with `thread` on `utid`.
  ui_thread_utid JOINID(thread.id),
  -- Number of slices of the actual frame timeline.
  actual_frame_timeline_count LONG,
  -- Number of slices of the expected frame timeline: 1.
  expected_frame_timeline_count LONG,
  -- Number of draw slices.
  draw_frame_count LONG,
  -- Process; NULL if the frame has no expected timeline. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
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

-- Returns the first frame that starts after a given time; no row if there is none.
CREATE PERFETTO FUNCTION android_first_frame_after(
  -- Time after which the frame starts, ns in trace time.
  ts TIMESTAMP
)
RETURNS TABLE(
  -- Frame number.
  frame_id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- `Choreographer#doFrame` slice on the main thread; join with `slice` on `id`.
  do_frame_id JOINID(slice.id),
  -- First draw slice on the render thread; join with `slice` on `id`.
  draw_frame_id JOINID(slice.id),
  -- First slice of the actual frame timeline; NULL if not recorded. Join with `slice` on `id`.
  actual_frame_timeline_id JOINID(slice.id),
  -- Slice of the expected frame timeline; join with `slice` on `id`.
  expected_frame_timeline_id JOINID(slice.id),
  -- Render thread of the app; join with `thread` on `utid`.
  render_thread_utid JOINID(thread.id),
  -- Main thread of the app; join with `thread` on `utid`.
  ui_thread_utid JOINID(thread.id)
) AS
SELECT
  frame_id, ts, dur, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid
FROM android_frames
WHERE android_frames.ts > $ts
ORDER BY android_frames.ts
LIMIT 1;
