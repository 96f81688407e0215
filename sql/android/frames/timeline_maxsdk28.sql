-- Frames of Android 9 and earlier, where slices carry no frame number: draw slices are matched by
-- time to the frame that contains or precedes them.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Work of each frame on the main thread, with the start of the next frame of the process.
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

-- A frame with the draw slice that started before the next frame of its process.
CREATE PERFETTO TABLE _frames_maxsdk_28(
  -- Frame number assigned by tpq.
  frame_id LONG,
  -- Start of the frame, ns in trace time.
  ts TIMESTAMP,
  -- Duration until the end of drawing, ns.
  dur DURATION,
  -- `Choreographer#doFrame` slice on the main thread; join with `slice` on `id`.
  do_frame_id JOINID(slice.id),
  -- Draw slice; join with `slice` on `id`.
  draw_frame_id JOINID(slice.id),
  -- Render thread; join with `thread` on `utid`.
  render_thread_utid JOINID(thread.id),
  -- Main thread; join with `thread` on `utid`.
  ui_thread_utid JOINID(thread.id),
  -- Always `maxsdk28`.
  sdk STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
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
