-- Jank of scrolling that comes from the prediction of inputs: a frame moves much more, or much
-- less, than the frames before and after it.

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- A presented frame between two other frames of its scroll.
CREATE PERFETTO TABLE chrome_predictor_error(
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Id of the scroll update; join with `chrome_gesture_scroll_updates` on `scroll_update_id`.
  scroll_update_id LONG,
  -- Time of the presentation, ns in trace time.
  present_ts TIMESTAMP,
  -- Vertical distance since the frame before, in pixels.
  delta_y DOUBLE,
  -- Vertical distance since the start of the scroll, in pixels.
  relative_offset_y DOUBLE,
  -- Value of `delta_y` of the frame before, 0 if it is unknown.
  prev_delta DOUBLE,
  -- Value of `delta_y` of the next frame, 0 if it is unknown.
  next_delta DOUBLE,
  -- Excess of the ratio of distances over the threshold; 0 for no jank. The ratio is that of the
  -- frame to the larger one of its neighbours or, if that is below the threshold, that of the
  -- smaller neighbour to the frame.
  predictor_jank DOUBLE,
  -- Threshold of the ratio: 1.4 if none of the three frames moves more than 7 pixels, else 1.2.
  delta_threshold DOUBLE
) AS
WITH neighbours AS (
  SELECT
    *,
    lag(coalesce(delta_y, 0.0)) OVER in_scroll AS prev_delta,
    lead(coalesce(delta_y, 0.0)) OVER in_scroll AS next_delta
  FROM chrome_presented_scroll_offsets
  WINDOW in_scroll AS (PARTITION BY scroll_id ORDER BY ts NULLS FIRST)
),
distances AS (
  SELECT
    *,
    abs(delta_y) AS distance,
    CASE WHEN abs(prev_delta) < abs(next_delta) THEN abs(prev_delta) ELSE abs(next_delta) END
      AS smaller,
    CASE WHEN abs(prev_delta) < abs(next_delta) THEN abs(next_delta) ELSE abs(prev_delta) END
      AS larger
  FROM neighbours
  WHERE delta_y IS NOT NULL AND prev_delta IS NOT NULL AND next_delta IS NOT NULL
),
ratios AS (
  SELECT
    *,
    distance / nullif(larger, 0.0) AS too_far,
    smaller / nullif(distance, 0.0) AS too_short,
    CASE WHEN distance <= 7.0 AND larger <= 7.0 THEN 1.4 ELSE 1.2 END AS delta_threshold
  FROM distances
)
SELECT
  scroll_id,
  scroll_update_id,
  ts AS present_ts,
  delta_y,
  relative_offset_y,
  prev_delta,
  next_delta,
  CASE
    WHEN too_far >= delta_threshold THEN too_far - delta_threshold
    WHEN too_short >= delta_threshold THEN too_short - delta_threshold
    ELSE 0.0
  END AS predictor_jank,
  delta_threshold
FROM ratios
ORDER BY ts;
