-- Summary of tracks with slices.

-- Tracks with slices: their number, range of durations and greatest depth.
CREATE PERFETTO TABLE _slice_track_summary AS
SELECT
  track_id AS id, count(*) AS cnt, min(dur) AS min_dur, max(dur) AS max_dur,
  max(depth) AS max_depth
FROM slice
GROUP BY track_id;
