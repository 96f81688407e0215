-- Inputs in Chrome: the steps of each, and how one input becomes another.

INCLUDE PERFETTO MODULE chrome.android_input;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- Returns the value of an argument of a step, as an aggregate.
CREATE PERFETTO MACRO _input_step_arg(
  -- Key of the argument.
  key Expr,
  -- Column of `args` with the value.
  value Expr
)
RETURNS Expr AS
max($value) FILTER (WHERE arg.key = $key);

-- Steps, from the arguments of their slices. Of a step that is repeated on a thread for one input,
-- the last one, which is that of the input that was dispatched in the end.
CREATE PERFETTO TABLE _chrome_input_steps AS
WITH recorded AS (
  SELECT
    slice.id AS slice_id,
    slice.ts,
    slice.dur,
    slice.arg_set_id,
    track.utid,
    _input_step_arg!('chrome_latency_info.trace_id', arg.int_value) AS latency_id,
    _input_step_arg!('chrome_latency_info.step', arg.string_value) AS step,
    _input_step_arg!('chrome_latency_info.input_type', arg.string_value) AS input_type,
    slice.ts - 1000
      * _input_step_arg!('current_task.event_offset_from_task_start_time_us', arg.int_value)
      AS task_start_time_ts
  FROM slice
  JOIN thread_track AS track ON track.id = slice.track_id
  JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
  WHERE arg.key GLOB 'chrome_latency_info.*' OR arg.key GLOB 'current_task.*'
  GROUP BY slice.id, slice.ts, slice.dur, slice.arg_set_id, track.utid
)
SELECT slice_id, ts, dur, arg_set_id, utid, latency_id, step, input_type, task_start_time_ts
FROM (
  SELECT
    *,
    row_number()
      OVER (PARTITION BY latency_id, utid, step, input_type ORDER BY ts DESC, slice_id)
      AS from_last
  FROM recorded
  -- Chrome writes -1 for an input without an id.
  WHERE step IS NOT NULL AND latency_id != -1
)
WHERE from_last = 1
ORDER BY slice_id;

-- An input.
CREATE PERFETTO TABLE chrome_inputs(
  -- Id of the input (`LatencyInfo`).
  latency_id LONG,
  -- Kind of input, such as `GESTURE_SCROLL_UPDATE_EVENT`; NULL if no step states it.
  input_type STRING
) AS
SELECT latency_id, min(input_type) AS input_type
FROM _chrome_input_steps
GROUP BY latency_id
ORDER BY latency_id;

-- A step of an input of a known kind.
CREATE PERFETTO TABLE chrome_input_pipeline_steps(
  -- Id of the input; join with `chrome_inputs` on `latency_id`.
  latency_id LONG,
  -- Slice of the step; join with `slice` on `id`.
  slice_id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread of the step; join with `thread` on `utid`.
  utid LONG,
  -- Name of the step, such as `STEP_SEND_INPUT_EVENT_UI`.
  step STRING,
  -- Kind of input, which is that of the whole input.
  input_type STRING,
  -- Start of the Chrome task that the step is part of, ns in trace time; NULL if not recorded.
  task_start_time_ts TIMESTAMP
) AS
SELECT
  latency_id,
  step.slice_id,
  step.ts,
  step.dur,
  step.utid,
  step.step,
  input.input_type,
  step.task_start_time_ts
FROM _chrome_input_steps AS step
JOIN chrome_inputs AS input USING (latency_id)
WHERE input.input_type IS NOT NULL
ORDER BY step.slice_id;

-- An input that was merged into another one.
CREATE PERFETTO TABLE chrome_coalesced_inputs(
  -- Id of the merged input; join with `chrome_inputs` on `latency_id`.
  coalesced_latency_id LONG,
  -- Id of the other input, which is never the same; join with `chrome_inputs` on `latency_id`.
  presented_latency_id LONG
) AS
SELECT
  merged.int_value AS coalesced_latency_id,
  resampling.latency_id AS presented_latency_id
FROM _chrome_input_steps AS resampling
JOIN chrome_inputs AS input ON input.latency_id = resampling.latency_id
JOIN args AS merged ON merged.arg_set_id = resampling.arg_set_id
WHERE
  resampling.step = 'STEP_RESAMPLE_SCROLL_EVENTS'
  AND input.input_type IS NOT NULL
  AND merged.flat_key = 'chrome_latency_info.coalesced_trace_ids'
  AND merged.int_value != resampling.latency_id
ORDER BY resampling.slice_id, merged.id;

-- Touch moves within which the browser sent each scroll update. A touch move that the page has
-- handled comes first, one that the browser is about to send second.
CREATE PERFETTO TABLE _chrome_touch_moves_around AS
SELECT
  update_step.latency_id AS scroll_update_latency_id,
  touch_step.latency_id AS touch_move_latency_id,
  touch_step.step <> 'STEP_TOUCH_EVENT_HANDLED' AS is_fallback
FROM (
  SELECT slice_id, latency_id
  FROM chrome_input_pipeline_steps
  WHERE
    step = 'STEP_SEND_INPUT_EVENT_UI' AND input_type = 'GESTURE_SCROLL_UPDATE_EVENT' AND dur > 0
) AS update_step, ancestor_slice(update_step.slice_id) AS above
JOIN chrome_input_pipeline_steps AS touch_step ON touch_step.slice_id = above.id
WHERE
  touch_step.dur > 0
  AND (
    touch_step.step = 'STEP_TOUCH_EVENT_HANDLED'
    OR (touch_step.step = 'STEP_SEND_INPUT_EVENT_UI' AND touch_step.input_type = 'TOUCH_MOVE_EVENT')
  );

-- A touch move that became a scroll update. Scroll updates of flings have none.
CREATE PERFETTO TABLE chrome_touch_move_to_scroll_update(
  -- Id of the touch move; join with `chrome_inputs` on `latency_id`.
  touch_move_latency_id LONG,
  -- Id of the scroll update; join with `chrome_inputs` on `latency_id`.
  scroll_update_latency_id LONG
) AS
SELECT DISTINCT touch_move_latency_id, scroll_update_latency_id
FROM (
  SELECT
    *,
    rank() OVER (PARTITION BY scroll_update_latency_id ORDER BY is_fallback) AS preference
  FROM _chrome_touch_moves_around
)
WHERE preference = 1
ORDER BY scroll_update_latency_id, touch_move_latency_id;

-- The touch move that the browser made of an Android input event.
CREATE PERFETTO TABLE chrome_dispatch_android_input_event_to_touch_move(
  -- Id that Android gave the event; join with `chrome_android_input` on `android_input_id`.
  android_input_id STRING,
  -- Id of the touch move; join with `chrome_inputs` on `latency_id`.
  touch_move_latency_id LONG
) AS
SELECT delivering.android_input_id, sending.latency_id AS touch_move_latency_id
FROM chrome_deliver_android_input_event AS delivering
JOIN chrome_input_pipeline_steps AS sending
  ON sending.utid = delivering.utid
  AND sending.ts >= delivering.ts
  AND sending.ts + sending.dur <= delivering.ts + delivering.dur
WHERE
  sending.step = 'STEP_SEND_INPUT_EVENT_UI' AND sending.input_type = 'TOUCH_MOVE_EVENT'
ORDER BY delivering.ts, sending.ts;
