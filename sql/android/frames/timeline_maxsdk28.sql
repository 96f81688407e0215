-- Frames of Android 9 and earlier, whose slices carry no number: drawing is matched to the frame
-- it lies in or follows by time.

-- The frame's work on the main thread, with the time of the thread's next frame.
CREATE PERFETTO TABLE _unnumbered_do_frames AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  thread.utid,
  thread.upid,
  lead(slice.ts, 1, trace_end()) OVER (PARTITION BY thread.upid ORDER BY slice.ts) AS next_ts
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
WHERE slice.name = 'Choreographer#doFrame' AND thread.is_main_thread = 1;

-- A frame with the drawing that began before the next frame of its process.
CREATE PERFETTO TABLE _frames_maxsdk_28(
  -- A number of the frame, of tpq's own.
  frame_id LONG,
  -- When the frame began.
  ts TIMESTAMP,
  -- How long it took, to the end of its drawing.
  dur DURATION,
  -- The slice on the main thread.
  do_frame_id JOINID(slice.id),
  -- The slice of drawing.
  draw_frame_id JOINID(slice.id),
  -- The thread that drew.
  render_thread_utid JOINID(thread.id),
  -- The main thread.
  ui_thread_utid JOINID(thread.id),
  -- `maxsdk28`.
  sdk STRING,
  -- The process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING
) AS
WITH drawings AS (
  SELECT slice.id, slice.ts, slice.dur, thread.utid, thread.upid
  FROM slice
  JOIN thread_track AS track ON track.id = slice.track_id
  JOIN thread USING (utid)
  WHERE slice.name = 'DrawFrame'
)
SELECT
  row_number() OVER (ORDER BY frame.ts, drawing.ts) AS frame_id,
  frame.ts,
  drawing.ts + drawing.dur - frame.ts AS dur,
  frame.id AS do_frame_id,
  drawing.id AS draw_frame_id,
  drawing.utid AS render_thread_utid,
  frame.utid AS ui_thread_utid,
  'maxsdk28' AS sdk,
  frame.upid,
  process.name AS process_name
FROM _unnumbered_do_frames AS frame
JOIN drawings AS drawing
  ON drawing.upid = frame.upid AND drawing.ts >= frame.ts AND drawing.ts < frame.next_ts
JOIN process ON process.upid = frame.upid;
