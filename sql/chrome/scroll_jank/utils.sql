-- Functions for metrics of scroll jank.

-- Tests whether a frame is janky in comparison with a neighbour in the same scroll: it took longer
-- by more than half a vsync interval.
CREATE PERFETTO FUNCTION _is_janky_frame(
  -- Id of the scroll of the frame.
  cur_gesture_id LONG,
  -- Id of the scroll of the neighbour.
  neighbour_gesture_id LONG,
  -- Time of the neighbour, ns in trace time.
  neighbour_ts TIMESTAMP,
  -- Start of the scroll of the frame, ns in trace time.
  cur_gesture_begin_ts TIMESTAMP,
  -- End of the scroll of the frame, ns in trace time.
  cur_gesture_end_ts TIMESTAMP,
  -- Duration of the frame in vsync intervals.
  cur_frame_exact DOUBLE,
  -- Duration of the neighbour in vsync intervals.
  neighbour_frame_exact DOUBLE
)
-- Whether the frame is janky; false if the neighbour is not in the scroll.
RETURNS BOOL AS
SELECT
  coalesce($cur_gesture_id = $neighbour_gesture_id, TRUE)
  AND $neighbour_ts IS NOT NULL
  AND coalesce($neighbour_ts BETWEEN $cur_gesture_begin_ts AND $cur_gesture_end_ts, TRUE)
  -- The small number absorbs rounding errors of ratios that are exactly one half.
  AND $cur_frame_exact > $neighbour_frame_exact + 0.5 + 1e-9;

-- Returns by how much a frame has to become shorter to be no longer janky.
CREATE PERFETTO FUNCTION _jank_budget(
  -- Duration of the frame in vsync intervals.
  cur_frame_exact DOUBLE,
  -- Duration of the frame before, in vsync intervals; NULL for the first frame.
  prev_frame_exact DOUBLE,
  -- Duration of the next frame, in vsync intervals; NULL for the last frame.
  next_frame_exact DOUBLE
)
-- Time in vsync intervals; NULL without neighbours.
RETURNS DOUBLE AS
SELECT
  $cur_frame_exact
  - CASE
    WHEN coalesce($prev_frame_exact <= $next_frame_exact, $next_frame_exact IS NULL)
      THEN $prev_frame_exact
    ELSE $next_frame_exact
  END
  - 0.5 - 1e-9;

-- Returns the long tasks with a name, and the messages that they handle.
CREATE PERFETTO FUNCTION chrome_select_long_task_slices(
  -- Name of the slices.
  name STRING
)
RETURNS TABLE(
  -- Mojo interface of the message; NULL if not recorded.
  interface_name STRING,
  -- Hash of the method of the message; NULL if not recorded.
  ipc_hash LONG,
  -- Type: `reply` or `message`.
  message_type STRING,
  -- Slice of the task; join with `slice` on `id`.
  id LONG
) AS
SELECT
  max(arg.string_value) FILTER (WHERE arg.key = 'chrome_mojo_event_info.mojo_interface_tag')
    AS interface_name,
  max(arg.int_value) FILTER (WHERE arg.key = 'chrome_mojo_event_info.ipc_hash') AS ipc_hash,
  CASE
    WHEN max(arg.int_value) FILTER (WHERE arg.key = 'chrome_mojo_event_info.is_reply') <> 0
      THEN 'reply'
    ELSE 'message'
  END AS message_type,
  task.id
FROM slice AS task
LEFT JOIN args AS arg ON arg.arg_set_id = task.arg_set_id
WHERE task.category GLOB '*scheduler.long_tasks*' AND task.name = $name
GROUP BY task.id
ORDER BY task.id;
