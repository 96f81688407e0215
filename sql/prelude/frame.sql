-- A frame of the Android frame timeline as SurfaceFlinger expected it. Both the display frames of
-- SurfaceFlinger and the surface frames of apps have rows.
CREATE PERFETTO VIEW expected_frame_timeline_slice(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Expected start, ns in trace time.
  ts TIMESTAMP,
  -- Expected duration, ns; -1 when the end is not in the trace.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Always NULL: frames have no category.
  category STRING,
  -- Frame token, as text.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(frame_slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id LONG,
  -- Token of the display frame: of this frame, or of the display frame that presents this surface
  -- frame.
  display_frame_token LONG,
  -- Token of the surface frame; NULL for a display frame.
  surface_frame_token LONG,
  -- Process that renders the frame; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Layer of a surface frame; NULL for a display frame.
  layer_name STRING
) AS
WITH described AS (
  SELECT
    arg_set_id AS set_id,
    max(CASE WHEN key = 'Display frame token' THEN int_value END) AS display_frame_token,
    max(CASE WHEN key = 'Surface frame token' THEN int_value END) AS surface_frame_token,
    max(CASE WHEN key = 'Layer name' THEN string_value END) AS layer_name
  FROM args
  GROUP BY arg_set_id
)
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  display_frame_token, surface_frame_token, t.upid, layer_name
FROM slice AS s
JOIN __stored_track AS t ON s.track_id = t.id
LEFT JOIN described ON s.arg_set_id = described.set_id
WHERE t.type = 'android_expected_frame_timeline';

-- A frame of the Android frame timeline as it was rendered and presented.
CREATE PERFETTO VIEW actual_frame_timeline_slice(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the end is not in the trace.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Always NULL: frames have no category.
  category STRING,
  -- Frame token, as text.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(frame_slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id LONG,
  -- Token of the display frame: of this frame, or of the display frame that presents this surface
  -- frame.
  display_frame_token LONG,
  -- Process that renders the frame; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Token of the surface frame; NULL for a display frame.
  surface_frame_token LONG,
  -- Layer of a surface frame; NULL for a display frame.
  layer_name STRING,
  -- Time of presentation: `On-time Present`, `Early Present`, `Late Present`, `Dropped Frame`…
  present_type STRING,
  -- Whether the frame finished rendering before its deadline.
  on_time_finish LONG,
  -- Whether the GPU composed the layers of the frame.
  gpu_composition LONG,
  -- Jank reasons, separated by commas; `None` for a frame without jank.
  jank_type STRING,
  -- Severity of the jank: `None`, `Partial`, `Full` or `Unknown`.
  jank_severity_type STRING,
  -- State of the prediction: `Valid Prediction`, `Expired Prediction`…
  prediction_type STRING,
  -- Summary of the cause of the jank, such as `Self Jank` or `Other Jank`.
  jank_tag STRING,
  -- Same as `jank_tag`, computed from the experimental jank types.
  jank_tag_experimental STRING,
  -- Severity of the jank as a number; higher is worse.
  jank_score DOUBLE,
  -- Number of buffers of a display frame that were latched before rendering finished.
  latched_unsignaled_count LONG,
  -- Number of buffers in `latched_unsignaled_count` that the compositor could have waited for.
  addressable_unsignaled_latch_count LONG,
  -- State of the acquire fence when the buffer was latched: `Signaled`, `Unsignaled`…
  latched_fence_state STRING
) AS
WITH described AS (
  SELECT
    arg_set_id AS set_id,
    max(CASE WHEN key = 'Display frame token' THEN int_value END) AS display_frame_token,
    max(CASE WHEN key = 'Surface frame token' THEN int_value END) AS surface_frame_token,
    max(CASE WHEN key = 'Layer name' THEN string_value END) AS layer_name,
    max(CASE WHEN key = 'Present type' THEN string_value END) AS present_type,
    max(CASE WHEN key = 'On time finish' THEN int_value END) AS on_time_finish,
    max(CASE WHEN key = 'GPU composition' THEN int_value END) AS gpu_composition,
    max(CASE WHEN key = 'Jank type' THEN string_value END) AS jank_type,
    max(CASE WHEN key = 'Jank severity type' THEN string_value END) AS jank_severity_type,
    max(CASE WHEN key = 'Prediction type' THEN string_value END) AS prediction_type,
    max(CASE WHEN key = 'Jank tag' THEN string_value END) AS jank_tag,
    max(CASE WHEN key = 'Jank tag (experimental)' THEN string_value END) AS jank_tag_experimental,
    max(CASE WHEN key = 'Jank Severity Score' THEN real_value END) AS jank_score,
    max(CASE WHEN key = 'Latched Unsignaled Count' THEN int_value END) AS latched_unsignaled_count,
    max(CASE WHEN key = 'Addressable Unsignaled Latch Count' THEN int_value END) AS addressable_unsignaled_latch_count,
    max(CASE WHEN key = 'Latched Fence State' THEN string_value END) AS latched_fence_state
  FROM args
  GROUP BY arg_set_id
)
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  display_frame_token, t.upid, surface_frame_token, layer_name, present_type, on_time_finish,
  gpu_composition, jank_type, jank_severity_type, prediction_type, jank_tag,
  jank_tag_experimental, jank_score, latched_unsignaled_count,
  addressable_unsignaled_latch_count, latched_fence_state
FROM slice AS s
JOIN __stored_track AS t ON s.track_id = t.id
LEFT JOIN described ON s.arg_set_id = described.set_id
WHERE t.type = 'android_actual_frame_timeline';

-- An event of a frame buffer, or a phase of its way to the display.
CREATE PERFETTO VIEW frame_slice(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; 0 for an event, -1 when the end is not in the trace.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Always NULL: frames have no category.
  category STRING,
  -- Name of the event; for a phase, the frame number.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(frame_slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id LONG,
  -- Layer of the buffer.
  layer_name STRING,
  -- Frame number; 0 if unknown.
  frame_number LONG,
  -- Time from queueing of the buffer by the app to the end of rendering, ns.
  queue_to_acquire_time LONG,
  -- Time from the end of rendering to the latch by the compositor, ns.
  acquire_to_latch_time LONG,
  -- Time from the latch by the compositor to this event, ns.
  latch_to_present_time LONG
) AS
WITH described AS (
  SELECT
    arg_set_id AS set_id,
    max(CASE WHEN key = 'layer_name' THEN string_value END) AS layer_name,
    max(CASE WHEN key = 'frame_number' THEN int_value END) AS frame_number,
    max(CASE WHEN key = 'queue_to_acquire_time' THEN int_value END) AS queue_to_acquire_time,
    max(CASE WHEN key = 'acquire_to_latch_time' THEN int_value END) AS acquire_to_latch_time,
    max(CASE WHEN key = 'latch_to_present_time' THEN int_value END) AS latch_to_present_time
  FROM args
  GROUP BY arg_set_id
)
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id, layer_name,
  frame_number, queue_to_acquire_time, acquire_to_latch_time, latch_to_present_time
FROM slice AS s
JOIN __stored_track AS t ON s.track_id = t.id
LEFT JOIN described ON s.arg_set_id = described.set_id
WHERE t.type = 'graphics_frame_event';
