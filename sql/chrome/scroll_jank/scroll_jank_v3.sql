-- Scroll jank by version 3 of the metric of Chrome: frames of a scroll that are presented later
-- than the vsync after the frame before, although their input is there.

INCLUDE PERFETTO MODULE chrome.event_latency;

INCLUDE PERFETTO MODULE chrome.metadata;

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3_cause;

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- Scroll updates, each with the creation time of the latest presented one up to it.
CREATE PERFETTO TABLE _chrome_scroll_updates_by_frame AS
SELECT
  *,
  max(CASE WHEN is_presented = 1 THEN ts END)
    OVER (ORDER BY ts RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS frame_start_ts
FROM chrome_gesture_scroll_updates;

-- A presented scroll update.
CREATE PERFETTO TABLE chrome_presented_gesture_scrolls(
  -- Slice of the scroll update; join with `slice` on `id`.
  id LONG,
  -- Creation time of the scroll update, ns in trace time.
  ts TIMESTAMP,
  -- Time until the scroll update was presented, ns.
  dur DURATION,
  -- Creation time of the last scroll update before the next presented one, ns in trace time.
  last_presented_input_ts TIMESTAMP,
  -- Id of the scroll update.
  scroll_update_id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp LONG,
  -- Kind of event, such as `GESTURE_SCROLL_UPDATE`.
  event_type STRING
) AS
WITH last_inputs AS (
  SELECT frame_start_ts, max(ts) AS last_ts
  FROM _chrome_scroll_updates_by_frame
  GROUP BY frame_start_ts
)
SELECT
  id,
  ts,
  dur,
  last_inputs.last_ts AS last_presented_input_ts,
  scroll_update_id,
  scroll_id,
  presentation_timestamp,
  event_type
FROM chrome_gesture_scroll_updates AS event
LEFT JOIN last_inputs ON last_inputs.frame_start_ts = event.ts
WHERE event.is_presented = 1
ORDER BY ts, id;

-- A distance by which Chrome scrolled the page for a scroll update.
CREATE PERFETTO TABLE chrome_scroll_updates_with_deltas(
  -- Id of the scroll update; join with `chrome_gesture_scroll_updates` on `scroll_update_id`.
  scroll_update_id LONG,
  -- Vertical distance, in pixels.
  delta_y DOUBLE
) AS
SELECT scroll_update_id, delta_y
FROM chrome_scroll_presented_deltas;

-- A scroll update with a known time of presentation.
CREATE PERFETTO TABLE chrome_full_frame_view(
  -- Slice of the scroll update; join with `slice` on `id`.
  id LONG,
  -- Creation time of the scroll update, ns in trace time.
  ts TIMESTAMP,
  -- Creation time of the last scroll update before the next presented one, ns in trace time.
  last_presented_input_ts TIMESTAMP,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Id of the scroll update.
  scroll_update_id LONG,
  -- Slice of the scroll update, as `id`.
  event_latency_id LONG,
  -- Time until the scroll update was presented, ns.
  dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp LONG
) AS
SELECT
  id,
  ts,
  last_presented_input_ts,
  scroll_id,
  scroll_update_id,
  id AS event_latency_id,
  dur,
  presentation_timestamp
FROM chrome_presented_gesture_scrolls
WHERE
  presentation_timestamp IS NOT NULL
  AND event_type IN (
    'FIRST_GESTURE_SCROLL_UPDATE', 'GESTURE_SCROLL_UPDATE', 'INERTIAL_GESTURE_SCROLL_UPDATE',
    'GESTURE_PINCH_UPDATE'
  )
ORDER BY ts, id;

-- A scroll update with a known time of presentation, and the distance that it moved the page.
CREATE PERFETTO TABLE chrome_full_frame_delta_view(
  -- Slice of the scroll update; join with `slice` on `id`.
  id LONG,
  -- Creation time of the scroll update, ns in trace time.
  ts TIMESTAMP,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Id of the scroll update.
  scroll_update_id LONG,
  -- Creation time of the last scroll update before the next presented one, ns in trace time.
  last_presented_input_ts TIMESTAMP,
  -- Vertical distance, in pixels; NULL if not recorded.
  delta_y DOUBLE,
  -- Slice of the scroll update, as `id`.
  event_latency_id LONG,
  -- Time until the scroll update was presented, ns.
  dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp LONG
) AS
SELECT
  frame.id,
  frame.ts,
  frame.scroll_id,
  frame.scroll_update_id,
  frame.last_presented_input_ts,
  moved.delta_y,
  frame.event_latency_id,
  frame.dur,
  frame.presentation_timestamp
FROM chrome_full_frame_view AS frame
LEFT JOIN chrome_scroll_updates_with_deltas AS moved USING (scroll_update_id)
ORDER BY frame.ts, frame.id;

-- Scroll updates with numbers from 1 within their time of presentation; the one that took longest,
-- which is the first that was created, is number 1.
CREATE PERFETTO VIEW _chrome_presented_together AS
SELECT
  *,
  row_number() OVER (PARTITION BY presentation_timestamp ORDER BY dur DESC, ts, id) AS nth
FROM chrome_full_frame_delta_view;

-- A frame: the scroll updates that were presented at one time.
CREATE PERFETTO TABLE chrome_merged_frame_view(
  -- Slice of the scroll update that took longest; join with `slice` on `id`.
  id LONG,
  -- Creation time of the last scroll update, ns in trace time.
  max_start_ts TIMESTAMP,
  -- Creation time of the first scroll update, ns in trace time.
  min_start_ts TIMESTAMP,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Id of the scroll update that took longest.
  scroll_update_id LONG,
  -- Ids of all scroll updates, separated by commas.
  encapsulated_scroll_ids STRING,
  -- Sum of the vertical distances, in pixels.
  total_delta DOUBLE,
  -- Vertical distances of the scroll updates, separated by commas.
  segregated_delta_y STRING,
  -- Slice of the scroll update, as `id`.
  event_latency_id LONG,
  -- Longest time until a scroll update was presented, ns.
  dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp LONG
) AS
SELECT
  max(id) FILTER (WHERE nth = 1) AS id,
  max(last_presented_input_ts) AS max_start_ts,
  min(ts) AS min_start_ts,
  max(scroll_id) FILTER (WHERE nth = 1) AS scroll_id,
  max(scroll_update_id) FILTER (WHERE nth = 1) AS scroll_update_id,
  group_concat(CAST(scroll_update_id AS TEXT), ',' ORDER BY ts, id) AS encapsulated_scroll_ids,
  sum(delta_y) AS total_delta,
  group_concat(CAST(delta_y AS TEXT), ',' ORDER BY ts, id) AS segregated_delta_y,
  max(event_latency_id) FILTER (WHERE nth = 1) AS event_latency_id,
  max(dur) AS dur,
  presentation_timestamp
FROM _chrome_presented_together
GROUP BY presentation_timestamp
ORDER BY presentation_timestamp;

-- A frame, and the time since the frame before in the same scroll.
CREATE PERFETTO TABLE chrome_frame_info_with_delay(
  -- Slice of the scroll update that took longest; join with `slice` on `id`.
  id LONG,
  -- Creation time of the last scroll update, ns in trace time.
  max_start_ts TIMESTAMP,
  -- Creation time of the first scroll update, ns in trace time.
  min_start_ts TIMESTAMP,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Id of the scroll update that took longest.
  scroll_update_id LONG,
  -- Ids of all scroll updates, separated by commas.
  encapsulated_scroll_ids STRING,
  -- Sum of the vertical distances, in pixels.
  total_delta DOUBLE,
  -- Vertical distances of the scroll updates, separated by commas.
  segregated_delta_y STRING,
  -- Slice of the scroll update, as `id`.
  event_latency_id LONG,
  -- Longest time until a scroll update was presented, ns.
  dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp LONG,
  -- Time since the presentation of the frame before, in ms; 0 for the first frame of a scroll.
  delay_since_last_frame DOUBLE,
  -- Time from the last input of the frame before to the first of this one, in ms; 0 for the first
  -- frame of a scroll.
  delay_since_last_input DOUBLE,
  -- Slice of the frame before; -1 for the first frame of a scroll.
  prev_event_latency_id LONG
) AS
SELECT
  *,
  coalesce(
    (presentation_timestamp - lag(presentation_timestamp) OVER by_presentation) / 1e6, 0.0
  ) AS delay_since_last_frame,
  coalesce((min_start_ts - lag(max_start_ts) OVER by_start) / 1e6, 0.0) AS delay_since_last_input,
  coalesce(lag(event_latency_id) OVER by_start, -1) AS prev_event_latency_id
FROM chrome_merged_frame_view
WINDOW
  by_presentation AS (PARTITION BY scroll_id ORDER BY presentation_timestamp),
  by_start AS (PARTITION BY scroll_id ORDER BY min_start_ts)
ORDER BY presentation_timestamp;

-- The interval between vsyncs, in a single row.
CREATE PERFETTO TABLE chrome_vsyncs(
  -- Interval in ms: the shortest that the frames record or, without a record, the shortest time
  -- between two frames.
  vsync_interval DOUBLE
) AS
SELECT
  coalesce(
    min(event.vsync_interval_ms) FILTER (WHERE event.vsync_interval_ms > 0),
    min(frame.delay_since_last_frame) FILTER (WHERE frame.delay_since_last_frame > 0)
  ) AS vsync_interval
FROM chrome_frame_info_with_delay AS frame
LEFT JOIN chrome_event_latencies AS event ON event.id = frame.event_latency_id;

-- A janky frame: it comes more than one and a half vsync intervals after the frame before, and its
-- input does not.
CREATE PERFETTO TABLE chrome_janky_frames_no_cause(
  -- Time since the presentation of the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- Slice of the frame; join with `slice` on `id`.
  event_latency_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval DOUBLE,
  -- Hardware class of the device; NULL if not recorded.
  hardware_class STRING,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Slice of the frame before, to compare with; -1 for the first frame of a scroll.
  prev_event_latency_id LONG
) AS
SELECT
  frame.delay_since_last_frame,
  frame.event_latency_id,
  beat.vsync_interval,
  chrome_hardware_class() AS hardware_class,
  frame.scroll_id,
  frame.prev_event_latency_id
FROM chrome_frame_info_with_delay AS frame
CROSS JOIN chrome_vsyncs AS beat
WHERE
  frame.delay_since_last_frame > 1.5 * beat.vsync_interval
  AND frame.delay_since_last_input < 1.5 * beat.vsync_interval
ORDER BY frame.presentation_timestamp;

-- Stage that delayed each janky frame, in comparison with the frame before.
CREATE PERFETTO TABLE _chrome_janky_stages AS
SELECT delayed_id, reference_id, cause_id
FROM _slowest_children!((
  SELECT event_latency_id AS delayed_id, prev_event_latency_id AS reference_id
  FROM chrome_janky_frames_no_cause
));

-- A janky frame with the stage that delayed it.
CREATE PERFETTO TABLE chrome_janky_frames_no_subcause(
  -- Time since the presentation of the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- Slice of the frame; join with `slice` on `id`.
  event_latency_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval DOUBLE,
  -- Hardware class of the device; NULL if not recorded.
  hardware_class STRING,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Slice of the frame before, to compare with; -1 for the first frame of a scroll.
  prev_event_latency_id LONG,
  -- Slice of the stage, by `chrome_get_v3_jank_cause_id`; join with `slice` on `id`.
  cause_id LONG
) AS
SELECT
  frame.delay_since_last_frame,
  frame.event_latency_id,
  frame.vsync_interval,
  frame.hardware_class,
  frame.scroll_id,
  frame.prev_event_latency_id,
  stage.cause_id
FROM chrome_janky_frames_no_cause AS frame
LEFT JOIN _chrome_janky_stages AS stage
  ON stage.delayed_id = frame.event_latency_id AND stage.reference_id = frame.prev_event_latency_id;

-- Stages that delayed janky frames, each with the stage of the same name of the frame before.
CREATE PERFETTO TABLE _chrome_janky_stage_pairs AS
SELECT stage.delayed_id AS event_latency_id, stage.cause_id, min(usual.id) AS usual_id
FROM _chrome_janky_stages AS stage
JOIN slice AS cause ON cause.id = stage.cause_id
LEFT JOIN slice AS usual ON usual.parent_id = stage.reference_id AND usual.name = cause.name
GROUP BY stage.delayed_id, stage.cause_id;

-- A janky frame with its cause.
CREATE PERFETTO TABLE chrome_janky_frames(
  -- Name of the stage that delayed the frame.
  cause_of_jank STRING,
  -- Name of the part of that stage that delayed it; NULL if the stage has no parts.
  sub_cause_of_jank STRING,
  -- Time since the presentation of the frame before, in ms.
  delay_since_last_frame DOUBLE,
  -- Slice of the frame; join with `slice` on `id`.
  event_latency_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval DOUBLE,
  -- Hardware class of the device; NULL if not recorded.
  hardware_class STRING,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG
) AS
SELECT
  cause.name AS cause_of_jank,
  part.name AS sub_cause_of_jank,
  frame.delay_since_last_frame,
  frame.event_latency_id,
  frame.vsync_interval,
  frame.hardware_class,
  frame.scroll_id
FROM chrome_janky_frames_no_subcause AS frame
LEFT JOIN slice AS cause ON cause.id = frame.cause_id
LEFT JOIN _slowest_children!((
  SELECT cause_id AS delayed_id, usual_id AS reference_id FROM _chrome_janky_stage_pairs
)) AS parts ON parts.delayed_id = frame.cause_id
LEFT JOIN slice AS part ON part.id = parts.cause_id;

-- A time at which scroll updates were presented.
CREATE PERFETTO TABLE chrome_unique_frame_presentation_ts(
  -- Time of the presentation, ns in trace time.
  presentation_timestamp LONG
) AS
SELECT DISTINCT presentation_timestamp
FROM chrome_presented_gesture_scrolls
ORDER BY presentation_timestamp;

-- The share of janky frames, in a single row: the metric `Event.Jank.DelayedFramesPercentage`.
CREATE PERFETTO TABLE chrome_janky_frames_percentage(
  -- Share of janky frames, in percent; NULL without frames.
  delayed_frame_percentage DOUBLE
) AS
SELECT 100.0 * janky.frames / nullif(presented.frames, 0) AS delayed_frame_percentage
FROM (SELECT count(*) AS frames FROM chrome_janky_frames) AS janky
CROSS JOIN (SELECT count(*) AS frames FROM chrome_unique_frame_presentation_ts) AS presented;

-- A scroll with its number of frames.
CREATE PERFETTO TABLE chrome_frames_per_scroll(
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Number of frames.
  num_frames LONG,
  -- Number of janky frames; NULL if there are none.
  num_janky_frames LONG,
  -- Share of janky frames, in percent; NULL if there are none.
  scroll_jank_percentage DOUBLE
) AS
SELECT
  scroll_id,
  count(*) AS num_frames,
  nullif(count(janky.event_latency_id), 0) AS num_janky_frames,
  100.0 * nullif(count(janky.event_latency_id), 0) / count(*) AS scroll_jank_percentage
FROM chrome_frame_info_with_delay AS frame
LEFT JOIN (SELECT DISTINCT event_latency_id FROM chrome_janky_frames) AS janky
  USING (event_latency_id)
GROUP BY scroll_id
ORDER BY scroll_id;
