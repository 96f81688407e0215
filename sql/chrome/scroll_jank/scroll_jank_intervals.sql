-- Times of scroll jank by version 3 of the metric of Chrome, and statistics of each scroll.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;

INCLUDE PERFETTO MODULE chrome.event_latency;

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;

INCLUDE PERFETTO MODULE intervals.overlap;

-- A janky frame with the time by which it was late.
CREATE PERFETTO TABLE chrome_janky_event_latencies_v3(
  -- Slice of the frame, an `EventLatency`; join with `slice` on `id`.
  id LONG,
  -- Creation time of the input, ns in trace time.
  ts TIMESTAMP,
  -- Time until the input was presented, ns.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id LONG,
  -- Always `EventLatency`.
  name STRING,
  -- Name of the stage that delayed the frame.
  cause_of_jank STRING,
  -- Name of the part of that stage that delayed it; NULL if the stage has no parts.
  sub_cause_of_jank STRING,
  -- Number of vsyncs by which the frame was late.
  delayed_frame_count LONG,
  -- Time at which the frame was due, ns in trace time.
  frame_jank_ts TIMESTAMP,
  -- Time by which the frame was late, ns.
  frame_jank_dur LONG
) AS
WITH late AS (
  SELECT
    event.*,
    janky.cause_of_jank,
    janky.sub_cause_of_jank,
    janky.delay_since_last_frame / janky.vsync_interval - 1 AS missed_vsyncs,
    (janky.delay_since_last_frame - janky.vsync_interval) * 1e6 AS late_ns
  FROM chrome_janky_frames AS janky
  JOIN chrome_gesture_scroll_updates AS event ON event.id = janky.event_latency_id
)
SELECT
  id,
  ts,
  dur,
  track_id,
  name,
  cause_of_jank,
  sub_cause_of_jank,
  cast_int!(missed_vsyncs) AS delayed_frame_count,
  cast_int!(ts + dur - late_ns) AS frame_jank_ts,
  cast_int!(late_ns) AS frame_jank_dur
FROM late
ORDER BY ts, id;

-- A time by which a frame was late.
CREATE PERFETTO VIEW chrome_janky_frame_presentation_intervals(
  -- Unique id of the row.
  id LONG,
  -- Time at which the frame was due, ns in trace time.
  ts TIMESTAMP,
  -- Time by which the frame was late, ns.
  dur DURATION,
  -- Number of vsyncs by which the frame was late.
  delayed_frame_count LONG,
  -- Name of the stage that delayed the frame.
  cause_of_jank STRING,
  -- Name of the part of that stage that delayed it; NULL if the stage has no parts.
  sub_cause_of_jank STRING,
  -- Slice of the frame; join with `slice` on `id`.
  event_latency_id LONG
) AS
SELECT
  row_number() OVER (ORDER BY frame_jank_ts, id) AS id,
  frame_jank_ts AS ts,
  frame_jank_dur AS dur,
  delayed_frame_count,
  cause_of_jank,
  sub_cause_of_jank,
  id AS event_latency_id
FROM chrome_janky_event_latencies_v3;

-- A scroll in which frames were presented, with its number of frames.
CREATE PERFETTO TABLE chrome_scroll_stats(
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Number of vsyncs with a frame, and of those that janky frames missed.
  frame_count LONG,
  -- Number of vsyncs that janky frames missed; NULL if there are none.
  missed_vsyncs LONG,
  -- Number of presented frames.
  presented_frame_count LONG,
  -- Number of janky frames.
  janky_frame_count LONG,
  -- Share of janky frames, in percent, with two decimals.
  janky_frame_percent DOUBLE
) AS
WITH shown AS (
  SELECT scroll.id AS scroll_id, count(*) AS vsyncs
  FROM chrome_scrolls AS scroll
  JOIN chrome_unique_frame_presentation_ts AS frame
    ON frame.presentation_timestamp BETWEEN scroll.ts AND scroll.ts + scroll.dur
  GROUP BY scroll.id
),
missed AS (
  SELECT scroll_id, cast_int!(sum(delay_since_last_frame / vsync_interval - 1)) AS vsyncs
  FROM chrome_janky_frames
  GROUP BY scroll_id
)
SELECT
  scroll_id,
  shown.vsyncs + coalesce(missed.vsyncs, 0) AS frame_count,
  missed.vsyncs AS missed_vsyncs,
  frames.num_frames AS presented_frame_count,
  CASE WHEN frames.num_frames IS NOT NULL THEN coalesce(frames.num_janky_frames, 0) END
    AS janky_frame_count,
  CASE
    WHEN frames.num_frames IS NOT NULL
      THEN round(coalesce(frames.scroll_jank_percentage, 0.0), 2)
  END AS janky_frame_percent
FROM shown
LEFT JOIN missed USING (scroll_id)
LEFT JOIN chrome_frames_per_scroll AS frames USING (scroll_id)
ORDER BY scroll_id;

-- A time in which frames were late: late times that overlap, touch or are 1 ns apart count as one.
CREATE PERFETTO TABLE chrome_scroll_jank_intervals_v3(
  -- Unique id of the row.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION
) AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur
FROM interval_merge_overlapping!(
  (SELECT frame_jank_ts AS ts, frame_jank_dur AS dur FROM chrome_janky_event_latencies_v3),
  1
);
