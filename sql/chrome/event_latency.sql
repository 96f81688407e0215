-- How long Chrome took from an input event to the frame that showed what it did.

-- The moments of each event's stages: where the first slice of that name under the event's begins
-- and ends.
CREATE PERFETTO TABLE _event_latency_stages AS
SELECT
  event.id,
  min(CASE WHEN stage.name = 'BufferAvailableToBufferReady' THEN stage.ts END) AS available_ts,
  min(CASE WHEN stage.name = 'BufferReadyToLatch' THEN stage.ts END) AS ready_ts,
  min(CASE WHEN stage.name = 'LatchToSwapEnd' THEN stage.ts END) AS latch_ts,
  min(CASE WHEN stage.name = 'LatchToPresentation' THEN stage.ts END) AS latch_to_presentation_ts,
  min(CASE WHEN stage.name = 'SwapEndToPresentationCompositorFrame' THEN stage.ts END)
    AS swap_end_ts,
  min(CASE WHEN stage.name = 'SwapEndToPresentationCompositorFrame' THEN stage.ts + stage.dur END)
    AS swap_end_presented_ts,
  min(CASE WHEN stage.name = 'LatchToPresentation' THEN stage.ts + stage.dur END)
    AS latch_presented_ts,
  min(CASE WHEN stage.name = 'SwapStartToPresentation' THEN stage.ts + stage.dur END)
    AS swap_start_presented_ts,
  min(CASE WHEN stage.name = 'LatchToSwapEnd' THEN stage.ts + stage.dur END) AS swapped_ts,
  max(
    CASE
      WHEN stage.name GLOB '*ToPresentation' THEN 1
      WHEN stage.name GLOB '*ToPresentationCompositorFrame' THEN 1
      ELSE 0
    END
  ) AS is_presented
FROM
  (SELECT id FROM slice WHERE name = 'EventLatency') AS event,
  descendant_slice(event.id) AS stage
GROUP BY event.id;

-- What the events' arguments say.
CREATE PERFETTO TABLE _event_latency_args AS
SELECT
  slice.id,
  max(CASE WHEN arg.key = 'event_latency.event_latency_id' THEN arg.int_value END) AS latency_id,
  max(CASE WHEN arg.key = 'event_latency.surface_frame_trace_id' THEN arg.int_value END)
    AS surface_frame_trace_id,
  max(CASE WHEN arg.key = 'event_latency.display_trace_id' THEN arg.int_value END)
    AS display_trace_id,
  max(CASE WHEN arg.key = 'event_latency.event_type' THEN arg.string_value END) AS event_type,
  max(
    CASE
      WHEN arg.key = 'event_latency.vsync_interval_ms'
        THEN coalesce(arg.real_value, arg.int_value * 1.0)
    END
  ) AS vsync_interval_ms,
  max(CASE WHEN arg.key = 'event_latency.is_janky_scrolled_frame' THEN arg.int_value END)
    AS is_janky
FROM slice
JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
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
  slice.id,
  slice.name,
  slice.ts,
  slice.dur,
  told.latency_id AS scroll_update_id,
  told.surface_frame_trace_id,
  told.display_trace_id,
  coalesce(stages.is_presented, 0) AS is_presented,
  told.event_type,
  slice.track_id,
  told.vsync_interval_ms,
  coalesce(told.is_janky, 0) AS is_janky_scrolled_frame,
  stages.available_ts AS buffer_available_timestamp,
  stages.ready_ts AS buffer_ready_timestamp,
  coalesce(stages.latch_ts, stages.latch_to_presentation_ts) AS latch_timestamp,
  stages.swap_end_ts AS swap_end_timestamp,
  coalesce(
    stages.swap_end_presented_ts, stages.latch_presented_ts, stages.swap_start_presented_ts,
    stages.swapped_ts
  ) AS presentation_timestamp
FROM slice
LEFT JOIN _event_latency_args AS told ON told.id = slice.id
LEFT JOIN _event_latency_stages AS stages ON stages.id = slice.id
WHERE slice.name = 'EventLatency'
ORDER BY slice.ts, slice.id;

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
  sum(CASE WHEN event_type = 'FIRST_GESTURE_SCROLL_UPDATE' OR nth = 1 THEN 1 ELSE 0 END)
    OVER (ORDER BY ts, id) AS scroll_id
FROM (
  SELECT *, row_number() OVER (ORDER BY ts, id) AS nth
  FROM chrome_event_latencies
  WHERE
    event_type IN (
      'GESTURE_SCROLL_UPDATE', 'FIRST_GESTURE_SCROLL_UPDATE', 'INERTIAL_GESTURE_SCROLL_UPDATE'
    )
    OR (event_type GLOB '*GESTURE_PINCH_UPDATE' AND is_presented = 1)
)
ORDER BY ts, id;
