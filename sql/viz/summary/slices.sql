-- What tracks have slices, in short.

-- A track with its slices added up.
CREATE PERFETTO TABLE _slice_track_summary AS
SELECT
  track_id AS id, count(*) AS cnt, min(dur) AS min_dur, max(dur) AS max_dur,
  max(depth) AS max_depth
FROM slice
GROUP BY track_id;
