-- Distances by which Chrome scrolls: as the input asks for them, and as frames show them. All are
-- in pixels of the screen.

INCLUDE PERFETTO MODULE chrome.event_latency;

-- Returns the value of an argument of a distance, as an aggregate. A real without a fraction can be
-- recorded as an integer.
CREATE PERFETTO MACRO _scroll_distance_arg(
  -- Key of the argument, without `scroll_deltas.`.
  key Expr
)
RETURNS Expr AS
max(coalesce(arg.real_value, arg.int_value * 1.0))
  FILTER (WHERE arg.key = 'scroll_deltas.' || $key);

-- Distances that Chrome records when it receives an input and when it has scrolled by it.
CREATE PERFETTO TABLE _chrome_scroll_distances AS
SELECT
  slice.id,
  slice.ts,
  slice.name = 'TranslateAndScaleWebInputEvent' AS is_input,
  max(arg.int_value) FILTER (WHERE arg.key = 'scroll_deltas.trace_id') AS scroll_update_id,
  _scroll_distance_arg!('original_delta_x') AS input_x,
  _scroll_distance_arg!('original_delta_y') AS input_y,
  _scroll_distance_arg!('provided_to_compositor_delta_x') AS shown_x,
  _scroll_distance_arg!('provided_to_compositor_delta_y') AS shown_y,
  max(arg.int_value) FILTER (WHERE arg.key = 'scroll_deltas.visual_offset_x') AS page_x,
  max(arg.int_value) FILTER (WHERE arg.key = 'scroll_deltas.visual_offset_y') AS page_y
FROM slice
LEFT JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
WHERE
  slice.name IN (
    'TranslateAndScaleWebInputEvent', 'InputHandlerProxy::HandleGestureScrollUpdate_Result'
  )
GROUP BY slice.id, slice.ts, slice.name;

-- A movement that the system reports for a scroll update.
CREATE PERFETTO TABLE chrome_scroll_input_deltas(
  -- Id of the scroll update; join with `chrome_gesture_scroll_updates` on `scroll_update_id`.
  scroll_update_id LONG,
  -- Horizontal distance since the input before, in pixels.
  delta_x DOUBLE,
  -- Vertical distance since the input before, in pixels.
  delta_y DOUBLE
) AS
SELECT scroll_update_id, input_x AS delta_x, input_y AS delta_y
FROM _chrome_scroll_distances
WHERE is_input
ORDER BY ts, id;

-- A scroll update with the distance that the input moved in its scroll so far.
CREATE PERFETTO TABLE chrome_scroll_input_offsets(
  -- Id of the scroll update; join with `chrome_gesture_scroll_updates` on `scroll_update_id`.
  scroll_update_id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Creation time of the input, ns in trace time.
  ts TIMESTAMP,
  -- Vertical distance since the input before, in pixels.
  delta_y DOUBLE,
  -- Vertical distance since the start of the scroll, in pixels.
  relative_offset_y DOUBLE
) AS
SELECT
  scroll_update_id,
  event.scroll_id,
  event.ts,
  moved.delta_y,
  sum(moved.delta_y) OVER (
    PARTITION BY event.scroll_id
    ORDER BY event.ts, event.id
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS relative_offset_y
FROM chrome_gesture_scroll_updates AS event
JOIN chrome_scroll_input_deltas AS moved USING (scroll_update_id)
ORDER BY event.ts, event.id;

-- A distance by which Chrome scrolled the page for a scroll update.
CREATE PERFETTO TABLE chrome_scroll_presented_deltas(
  -- Id of the scroll update; join with `chrome_gesture_scroll_updates` on `scroll_update_id`.
  scroll_update_id LONG,
  -- Horizontal distance since the frame before, in pixels.
  delta_x DOUBLE,
  -- Vertical distance since the frame before, in pixels.
  delta_y DOUBLE,
  -- Horizontal position of the page, in pixels.
  offset_x LONG,
  -- Vertical position of the page, in pixels.
  offset_y LONG
) AS
SELECT
  scroll_update_id,
  shown_x AS delta_x,
  shown_y AS delta_y,
  page_x AS offset_x,
  page_y AS offset_y
FROM _chrome_scroll_distances
WHERE NOT is_input
ORDER BY ts, id;

-- Distances of the scroll updates of each presentation, scroll by scroll. Scroll updates that were
-- not presented count as one presentation without a time.
CREATE PERFETTO TABLE _chrome_presented_distances AS
SELECT
  event.presentation_timestamp,
  event.scroll_id,
  arg_min(event.scroll_update_id, event.ts) AS first_scroll_update_id,
  min(event.ts) AS first_ts,
  sum(shown.delta_y) AS delta_y
FROM chrome_gesture_scroll_updates AS event
JOIN chrome_scroll_presented_deltas AS shown USING (scroll_update_id)
GROUP BY event.presentation_timestamp, event.scroll_id;

-- A presentation with the distance that the page moved. It is named by the first of the scroll
-- updates that were presented at that time.
CREATE PERFETTO TABLE chrome_presented_scroll_offsets(
  -- Id of the scroll update; join with `chrome_gesture_scroll_updates` on `scroll_update_id`.
  scroll_update_id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Time of the presentation, ns in trace time; NULL for all scroll updates that were not
  -- presented.
  ts TIMESTAMP,
  -- Vertical distance of all scroll updates of the presentation, in pixels.
  delta_y DOUBLE,
  -- Vertical distance since the start of the scroll, in pixels.
  relative_offset_y DOUBLE
) AS
SELECT
  first_scroll_update_id AS scroll_update_id,
  scroll_id,
  presentation_timestamp AS ts,
  all_delta_y AS delta_y,
  relative_offset_y
FROM (
  SELECT
    *,
    sum(delta_y) OVER (PARTITION BY presentation_timestamp) AS all_delta_y,
    sum(delta_y) OVER (
      PARTITION BY scroll_id
      ORDER BY presentation_timestamp NULLS FIRST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS relative_offset_y,
    row_number() OVER (PARTITION BY presentation_timestamp ORDER BY first_ts, scroll_id) AS nth
  FROM _chrome_presented_distances
)
WHERE nth = 1
ORDER BY ts;
