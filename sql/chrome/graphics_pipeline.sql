-- Steps of frames in Chrome: of surface frames, which a client produces, and of display frames, in
-- which the display compositor (viz) combines surface frames.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Returns the value of an argument of a step, as an aggregate.
CREATE PERFETTO MACRO _graphics_step_arg(
  -- Key of the argument.
  key Expr,
  -- Column of `args` with the value.
  value Expr
)
RETURNS Expr AS
max($value) FILTER (WHERE arg.key = $key);

-- Steps of both kinds of frames, from the arguments of their slices.
CREATE PERFETTO TABLE _chrome_graphics_steps AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  track.utid,
  slice.arg_set_id,
  _graphics_step_arg!('chrome_graphics_pipeline.step', arg.string_value) AS step,
  _graphics_step_arg!('chrome_graphics_pipeline.surface_frame_trace_id', arg.int_value)
    AS surface_frame_trace_id,
  _graphics_step_arg!('chrome_graphics_pipeline.display_trace_id', arg.int_value)
    AS display_trace_id,
  slice.ts - 1000
    * _graphics_step_arg!('current_task.event_offset_from_task_start_time_us', arg.int_value)
    AS task_start_time_ts
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
WHERE slice.name = 'Graphics.Pipeline'
GROUP BY slice.id, slice.ts, slice.dur, track.utid, slice.arg_set_id;

-- A step of a surface frame, from the request to begin the frame until viz receives it, such as
-- `STEP_RECEIVE_BEGIN_FRAME` or `STEP_SUBMIT_COMPOSITOR_FRAME`.
CREATE PERFETTO TABLE chrome_graphics_pipeline_surface_frame_steps(
  -- Slice of the step; join with `slice` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the step.
  step STRING,
  -- Id of the surface frame; NULL where Chrome does not know it.
  surface_frame_trace_id LONG,
  -- Thread of the step; join with `thread` on `utid`.
  utid LONG,
  -- Start of the Chrome task that the step is part of, ns in trace time; NULL if not recorded.
  task_start_time_ts TIMESTAMP
) AS
SELECT
  id,
  ts,
  dur,
  step,
  -- Chrome writes -1 for a frame without an id.
  nullif(surface_frame_trace_id, -1) AS surface_frame_trace_id,
  utid,
  task_start_time_ts
FROM _chrome_graphics_steps
WHERE surface_frame_trace_id IS NOT NULL
ORDER BY ts, id;

-- A step of a display frame, from `STEP_DRAW_AND_SWAP` and `STEP_SURFACE_AGGREGATION` to
-- `STEP_SWAP_BUFFERS_ACK`. Of a step that is repeated on a thread for one frame, only the last one
-- is a row, because drawing that starts anew replaces what was drawn.
CREATE PERFETTO TABLE chrome_graphics_pipeline_display_frame_steps(
  -- Slice of the step; join with `slice` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the step.
  step STRING,
  -- Id of the display frame.
  display_trace_id LONG,
  -- Thread of the step; join with `thread` on `utid`.
  utid LONG,
  -- Start of the Chrome task that the step is part of, ns in trace time; NULL if not recorded.
  task_start_time_ts TIMESTAMP
) AS
WITH numbered AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY display_trace_id, step, utid ORDER BY ts DESC, id) AS from_last
  FROM _chrome_graphics_steps
  WHERE display_trace_id IS NOT NULL
)
SELECT id, ts, dur, step, display_trace_id, utid, task_start_time_ts
FROM numbered
WHERE from_last = 1
ORDER BY ts, id;

-- The display frame that first contained a surface frame.
CREATE PERFETTO TABLE chrome_surface_frame_id_to_first_display_id(
  -- Id of the surface frame.
  surface_frame_trace_id LONG,
  -- Id of the display frame.
  display_trace_id LONG
) AS
SELECT surface_frame_trace_id, display_trace_id
FROM (
  SELECT
    contained.int_value AS surface_frame_trace_id,
    step.display_trace_id,
    row_number() OVER (PARTITION BY contained.int_value ORDER BY step.ts, step.id) AS nth
  FROM chrome_graphics_pipeline_display_frame_steps AS step
  JOIN _chrome_graphics_steps AS details ON details.id = step.id
  JOIN args AS contained ON contained.arg_set_id = details.arg_set_id
  WHERE
    step.step = 'STEP_SURFACE_AGGREGATION'
    AND contained.flat_key = 'chrome_graphics_pipeline.aggregated_surface_frame_trace_ids'
)
WHERE nth = 1
ORDER BY surface_frame_trace_id;

-- An input that a surface frame responds to.
CREATE PERFETTO TABLE chrome_graphics_pipeline_inputs_to_surface_frames(
  -- Id of the input; join with `chrome_inputs` on `latency_id`.
  latency_id LONG,
  -- Id of the surface frame; NULL where Chrome does not know it.
  surface_frame_trace_id LONG
) AS
SELECT
  input.int_value AS latency_id,
  nullif(submitting.surface_frame_trace_id, -1) AS surface_frame_trace_id
FROM _chrome_graphics_steps AS submitting
JOIN args AS input ON input.arg_set_id = submitting.arg_set_id
WHERE
  submitting.step = 'STEP_SUBMIT_COMPOSITOR_FRAME'
  AND submitting.surface_frame_trace_id IS NOT NULL
  AND input.flat_key = 'chrome_graphics_pipeline.latency_ids'
ORDER BY submitting.ts, input.id;
