-- How long Chrome took from an input event to the frame that showed what it did.

-- When the first of an event's stages of that name began.
CREATE PERFETTO MACRO _event_stage_began(
  -- The name.
  stage_name Expr
)
RETURNS Expr AS
min(stage.ts) FILTER (WHERE stage.name = $stage_name);

-- When the first of an event's stages of that name ended.
CREATE PERFETTO MACRO _event_stage_ended(
  -- The name.
  stage_name Expr
)
RETURNS Expr AS
min(stage.ts + stage.dur) FILTER (WHERE stage.name = $stage_name);

-- What each event's stages, the slices under it, tell. Versions of Chrome differ in which there are
-- for the same.
CREATE PERFETTO TABLE _event_latency_stages AS
SELECT
  event.id,
  max(
    stage.name GLOB '*ToPresentation' OR stage.name GLOB '*ToPresentationCompositorFrame'
  ) AS is_presented,
  _event_stage_began!('BufferAvailableToBufferReady') AS buffer_available_timestamp,
  _event_stage_began!('BufferReadyToLatch') AS buffer_ready_timestamp,
  coalesce(
    _event_stage_began!('LatchToSwapEnd'), _event_stage_began!('LatchToPresentation')
  ) AS latch_timestamp,
  _event_stage_began!('SwapEndToPresentationCompositorFrame') AS swap_end_timestamp,
  coalesce(
    _event_stage_ended!('SwapEndToPresentationCompositorFrame'),
    _event_stage_ended!('LatchToPresentation'),
    _event_stage_ended!('SwapStartToPresentation'),
    _event_stage_ended!('LatchToSwapEnd')
  ) AS presentation_timestamp
FROM
  (SELECT id FROM slice WHERE name = 'EventLatency') AS event,
  descendant_slice(event.id) AS stage
GROUP BY event.id;

-- The value of an event's argument.
CREATE PERFETTO MACRO _event_latency_arg(
  -- Its key.
  key Expr,
  -- The value of an argument.
  value Expr
)
RETURNS Expr AS
max($value) FILTER (WHERE arg.key = 'event_latency.' || $key);

-- What the events' arguments say.
CREATE PERFETTO TABLE _event_latency_args AS
SELECT
  slice.id,
  _event_latency_arg!('event_latency_id', arg.int_value) AS scroll_update_id,
  _event_latency_arg!('surface_frame_trace_id', arg.int_value) AS surface_frame_trace_id,
  _event_latency_arg!('display_trace_id', arg.int_value) AS display_trace_id,
  _event_latency_arg!('event_type', arg.string_value) AS event_type,
  _event_latency_arg!('vsync_interval_ms', coalesce(arg.real_value, arg.int_value * 1.0))
    AS vsync_interval_ms,
  _event_latency_arg!('is_janky_scrolled_frame', arg.int_value) AS is_janky_scrolled_frame
FROM slice
JOIN args AS arg USING (arg_set_id)
WHERE slice.name = 'EventLatency' AND arg.key GLOB 'event_latency.*'
GROUP BY slice.id;

-- An input event and how it was shown.
CREATE PERFETTO TABLE chrome_event_latencies(
  -- The slice.
  id LONG,
  -- `EventLatency`.
  name STRING,
  -- When the event was made.
  ts TIMESTAMP,
  -- How long until it was shown, or until that was given up.
  dur DURATION,
  -- The number of the event.
  scroll_update_id LONG,
  -- For scrolling that was shown, the number of the frame that showed it, as its surface counts;
  -- NULL in traces of old versions.
  surface_frame_trace_id LONG,
  -- The same, as the display counts.
  display_trace_id LONG,
  -- Whether it was shown.
  is_presented BOOL,
  -- The kind of event, as `GESTURE_SCROLL_UPDATE`.
  event_type STRING,
  -- The slice's track.
  track_id LONG,
  -- The time between the display's beats, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether the frame came late.
  is_janky_scrolled_frame BOOL,
  -- When the frame's buffer was available.
  buffer_available_timestamp LONG,
  -- When the buffer was ready.
  buffer_ready_timestamp LONG,
  -- When the display took the buffer.
  latch_timestamp LONG,
  -- When buffers had been swapped.
  swap_end_timestamp LONG,
  -- When the frame was shown.
  presentation_timestamp LONG
) AS
SELECT
  id,
  name,
  ts,
  dur,
  told.scroll_update_id,
  told.surface_frame_trace_id,
  told.display_trace_id,
  coalesce(stages.is_presented, 0) AS is_presented,
  told.event_type,
  track_id,
  told.vsync_interval_ms,
  coalesce(told.is_janky_scrolled_frame, 0) AS is_janky_scrolled_frame,
  stages.buffer_available_timestamp,
  stages.buffer_ready_timestamp,
  stages.latch_timestamp,
  stages.swap_end_timestamp,
  stages.presentation_timestamp
FROM slice
LEFT JOIN _event_latency_args AS told USING (id)
LEFT JOIN _event_latency_stages AS stages USING (id)
WHERE name = 'EventLatency'
ORDER BY ts, id;

-- An event of scrolling, shown or not; or of pinching, if it was shown.
CREATE PERFETTO TABLE chrome_gesture_scroll_updates(
  -- The slice.
  id LONG,
  -- `EventLatency`.
  name STRING,
  -- When the event was made.
  ts TIMESTAMP,
  -- How long until it was shown, or until that was given up.
  dur DURATION,
  -- The number of the event.
  scroll_update_id LONG,
  -- Whether it was shown.
  is_presented BOOL,
  -- The kind of event, as `GESTURE_SCROLL_UPDATE`.
  event_type STRING,
  -- The slice's track.
  track_id LONG,
  -- The time between the display's beats, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether the frame came late.
  is_janky BOOL,
  -- When the frame's buffer was available.
  buffer_available_timestamp LONG,
  -- When the buffer was ready.
  buffer_ready_timestamp LONG,
  -- When the display took the buffer.
  latch_timestamp LONG,
  -- When buffers had been swapped.
  swap_end_timestamp LONG,
  -- When the frame was shown.
  presentation_timestamp LONG,
  -- The scroll it belongs to: it counts up with every first event of a scroll.
  scroll_id LONG
) AS
SELECT
  id,
  name,
  ts,
  dur,
  scroll_update_id,
  is_presented,
  event_type,
  track_id,
  vsync_interval_ms,
  is_janky_scrolled_frame AS is_janky,
  buffer_available_timestamp,
  buffer_ready_timestamp,
  latch_timestamp,
  swap_end_timestamp,
  presentation_timestamp,
  sum(begins_scroll) OVER (ORDER BY ts, id) AS scroll_id
FROM (
  SELECT
    *,
    event_type = 'FIRST_GESTURE_SCROLL_UPDATE' OR lag(id) OVER (ORDER BY ts, id) IS NULL
      AS begins_scroll
  FROM chrome_event_latencies
  WHERE
    event_type IN (
      'GESTURE_SCROLL_UPDATE', 'FIRST_GESTURE_SCROLL_UPDATE', 'INERTIAL_GESTURE_SCROLL_UPDATE'
    )
    OR (event_type GLOB '*GESTURE_PINCH_UPDATE' AND is_presented = 1)
)
ORDER BY ts, id;
