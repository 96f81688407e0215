-- Latency of input events in Chrome, from the event to the presentation of the frame with its
-- result.

-- Returns the start of the first stage of an event that has a name, as an aggregate.
CREATE PERFETTO MACRO _event_stage_began(
  -- Pattern of the name of the stage.
  stage_name Expr
)
RETURNS Expr AS
min(stage.ts) FILTER (WHERE stage.name GLOB $stage_name);

-- Returns the end of the first stage of an event that has a name and ended, as an aggregate.
CREATE PERFETTO MACRO _event_stage_ended(
  -- Pattern of the name of the stage.
  stage_name Expr
)
RETURNS Expr AS
min(stage.ts + stage.dur) FILTER (WHERE stage.name GLOB $stage_name AND stage.dur != -1);

-- Timestamps from the stages of each event, which are its descendant slices. The names of the
-- stages depend on the Chrome version.
CREATE PERFETTO TABLE _event_latency_stages AS
SELECT
  event.id,
  -- This stage begins when the compositor submits the frame of the event.
  max(stage.name GLOB 'Submit*ToPresentationCompositorFrame') AS is_presented,
  _event_stage_began!('BufferAvailableToBufferReady') AS buffer_available_timestamp,
  _event_stage_began!('BufferReadyToLatch') AS buffer_ready_timestamp,
  coalesce(
    _event_stage_began!('LatchToSwapEnd'), _event_stage_began!('LatchToPresentation')
  ) AS latch_timestamp,
  _event_stage_began!('SwapEndToPresentationCompositorFrame') AS swap_end_timestamp,
  coalesce(
    _event_stage_ended!('SwapEndToPresentationCompositorFrame'),
    _event_stage_ended!('*ToPresentation'),
    _event_stage_ended!('LatchToSwapEnd')
  ) AS presentation_timestamp
FROM
  (SELECT id FROM slice WHERE name = 'EventLatency') AS event,
  descendant_slice(event.id) AS stage
GROUP BY event.id;

-- Returns the value of an argument of an event, as an aggregate.
CREATE PERFETTO MACRO _event_latency_arg(
  -- Key of the argument, without `event_latency.`.
  key Expr,
  -- Expression for the value.
  value Expr
)
RETURNS Expr AS
max($value) FILTER (WHERE arg.key = 'event_latency.' || $key);

-- Arguments of the events.
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

-- An input event with the times of its presentation.
CREATE PERFETTO TABLE chrome_event_latencies(
  -- Slice of the event; join with `slice` on `id`.
  id LONG,
  -- Always `EventLatency`.
  name STRING,
  -- Creation time of the event, ns in trace time.
  ts TIMESTAMP,
  -- Time until the event was presented or dropped, ns.
  dur DURATION,
  -- Id of the event.
  scroll_update_id LONG,
  -- Surface frame that presented a scroll event; NULL if not presented, for other events, and in
  -- traces of old Chrome versions.
  surface_frame_trace_id LONG,
  -- Display frame that presented a scroll event; NULL as for `surface_frame_trace_id`.
  display_trace_id LONG,
  -- Whether the event was presented.
  is_presented BOOL,
  -- Kind of event, such as `GESTURE_SCROLL_UPDATE`.
  event_type STRING,
  -- Track of the slice; join with `track` on `id`.
  track_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether the frame was janky.
  is_janky_scrolled_frame BOOL,
  -- Time when the buffer of the frame was available, ns in trace time.
  buffer_available_timestamp LONG,
  -- Time when the buffer of the frame was ready, ns in trace time.
  buffer_ready_timestamp LONG,
  -- Time when the display latched the buffer, ns in trace time.
  latch_timestamp LONG,
  -- Time when the buffer swap ended, ns in trace time.
  swap_end_timestamp LONG,
  -- Time when the frame was presented, ns in trace time.
  presentation_timestamp LONG
) AS
SELECT
  id,
  name,
  ts,
  dur,
  details.scroll_update_id,
  details.surface_frame_trace_id,
  details.display_trace_id,
  coalesce(stages.is_presented, 0) AS is_presented,
  details.event_type,
  track_id,
  details.vsync_interval_ms,
  coalesce(details.is_janky_scrolled_frame, 0) AS is_janky_scrolled_frame,
  stages.buffer_available_timestamp,
  stages.buffer_ready_timestamp,
  stages.latch_timestamp,
  stages.swap_end_timestamp,
  stages.presentation_timestamp
FROM slice
LEFT JOIN _event_latency_args AS details USING (id)
LEFT JOIN _event_latency_stages AS stages USING (id)
WHERE name = 'EventLatency'
ORDER BY ts, id;

-- A scroll event, presented or not, or a presented pinch event.
CREATE PERFETTO TABLE chrome_gesture_scroll_updates(
  -- Slice of the event; join with `slice` on `id`.
  id LONG,
  -- Always `EventLatency`.
  name STRING,
  -- Creation time of the event, ns in trace time.
  ts TIMESTAMP,
  -- Time until the event was presented or dropped, ns.
  dur DURATION,
  -- Id of the event.
  scroll_update_id LONG,
  -- Whether the event was presented.
  is_presented BOOL,
  -- Kind of event, such as `GESTURE_SCROLL_UPDATE`.
  event_type STRING,
  -- Track of the slice; join with `track` on `id`.
  track_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether the frame was janky.
  is_janky BOOL,
  -- Time when the buffer of the frame was available, ns in trace time.
  buffer_available_timestamp LONG,
  -- Time when the buffer of the frame was ready, ns in trace time.
  buffer_ready_timestamp LONG,
  -- Time when the display latched the buffer, ns in trace time.
  latch_timestamp LONG,
  -- Time when the buffer swap ended, ns in trace time.
  swap_end_timestamp LONG,
  -- Time when the frame was presented, ns in trace time.
  presentation_timestamp LONG,
  -- Number of the scroll that the event belongs to; each first scroll event starts a new number.
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
