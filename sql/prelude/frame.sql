-- A frame as Android's compositor expected it to be drawn and shown.
CREATE PERFETTO VIEW expected_frame_timeline_slice(
  -- The slice's id.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; -1 when its end was not seen.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- Not used.
  category STRING,
  -- The frame's token, as text.
  name STRING,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(frame_slice.id),
  -- Its arguments.
  arg_set_id LONG,
  -- The token of the display frame it is, or is shown by.
  display_frame_token LONG,
  -- The token of the surface frame; NULL for a display frame.
  surface_frame_token LONG,
  -- The process that draws it.
  upid JOINID(process.id),
  -- The layer a surface frame is for.
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

-- A frame as it was drawn and shown.
CREATE PERFETTO VIEW actual_frame_timeline_slice(
  -- The slice's id.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; -1 when its end was not seen.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- Not used.
  category STRING,
  -- The frame's token, as text.
  name STRING,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(frame_slice.id),
  -- Its arguments.
  arg_set_id LONG,
  -- The token of the display frame it is, or is shown by.
  display_frame_token LONG,
  -- The process that draws it.
  upid JOINID(process.id),
  -- The token of the surface frame; NULL for a display frame.
  surface_frame_token LONG,
  -- The layer a surface frame is for.
  layer_name STRING,
  -- Whether it was shown early, on time or late, or dropped.
  present_type STRING,
  -- Whether it was drawn in time.
  on_time_finish LONG,
  -- Whether the GPU put its layers together.
  gpu_composition LONG,
  -- What went wrong, separated by commas; `None` where nothing did.
  jank_type STRING,
  -- How bad it was: `None`, `Partial`, `Full` or `Unknown`.
  jank_severity_type STRING,
  -- Whether what was expected of it was still valid.
  prediction_type STRING,
  -- Who is to blame, in short.
  jank_tag STRING,
  -- The same by rules under trial.
  jank_tag_experimental STRING,
  -- How bad it was, as a number.
  jank_score DOUBLE,
  -- Buffers of a display frame that were taken before they were drawn.
  latched_unsignaled_count LONG,
  -- Those of them that could have been waited for.
  addressable_unsignaled_latch_count LONG,
  -- Whether the buffer of a surface frame was drawn when it was taken.
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

-- What happened to the buffers of frames, and the phases they went through.
CREATE PERFETTO VIEW frame_slice(
  -- The slice's id.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; 0 for an event, -1 when its end was not seen.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- Not used.
  category STRING,
  -- What happened, or for a phase the number of the frame.
  name STRING,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(frame_slice.id),
  -- Its arguments.
  arg_set_id LONG,
  -- The layer the buffer is for.
  layer_name STRING,
  -- The number of the frame; 0 where it is not known.
  frame_number LONG,
  -- From when the app gave the buffer away until it was drawn, ns.
  queue_to_acquire_time LONG,
  -- From when it was drawn until the compositor took it, ns.
  acquire_to_latch_time LONG,
  -- From when the compositor took it until this event, ns.
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
