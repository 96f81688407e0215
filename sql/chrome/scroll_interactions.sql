-- Scrolls in Chrome, with smoothness metrics.

-- A scroll.
CREATE PERFETTO TABLE chrome_scroll_interactions(
  -- Slice of the scroll; join with `slice` on `id`.
  id LONG,
  -- Always `Scroll`.
  name STRING,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG,
  -- Number of frames.
  frame_count LONG,
  -- Number of vsyncs.
  vsync_count LONG,
  -- Highest number of vsyncs missed in a row.
  missed_vsync_max LONG,
  -- Total number of missed vsyncs.
  missed_vsync_sum LONG,
  -- Number of delayed frames.
  delayed_frame_count LONG,
  -- Number of frames that users perceive as janky, according to the scroll predictor of Chrome.
  predictor_janky_frame_count LONG,
  -- Renderer process; join with `process` on `upid`.
  renderer_upid LONG
) AS
WITH reported AS (
  SELECT
    slice.id,
    max(CASE WHEN arg.key = 'scroll_metrics.frame_count' THEN arg.int_value END) AS frame_count,
    max(CASE WHEN arg.key = 'scroll_metrics.vsync_count' THEN arg.int_value END) AS vsync_count,
    max(CASE WHEN arg.key = 'scroll_metrics.missed_vsync_max' THEN arg.int_value END)
      AS missed_vsync_max,
    max(CASE WHEN arg.key = 'scroll_metrics.missed_vsync_sum' THEN arg.int_value END)
      AS missed_vsync_sum,
    max(CASE WHEN arg.key = 'scroll_metrics.delayed_frame_count' THEN arg.int_value END)
      AS delayed_frame_count,
    max(CASE WHEN arg.key = 'scroll_metrics.predictor_janky_frame_count' THEN arg.int_value END)
      AS predictor_janky_frame_count
  FROM slice
  JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
  WHERE slice.name = 'Scroll'
  GROUP BY slice.id
)
SELECT
  slice.id,
  slice.name,
  slice.ts,
  slice.dur,
  reported.frame_count,
  reported.vsync_count,
  reported.missed_vsync_max,
  reported.missed_vsync_sum,
  reported.delayed_frame_count,
  reported.predictor_janky_frame_count,
  coalesce(process_track.upid, thread.upid) AS renderer_upid
FROM slice
LEFT JOIN reported ON reported.id = slice.id
LEFT JOIN process_track ON process_track.id = slice.track_id
LEFT JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
WHERE slice.name = 'Scroll'
ORDER BY slice.ts;
