-- The display's beat, as Chrome on Android notes it under the category `Java`.

-- A beat.
CREATE PERFETTO TABLE chrome_vsync_intervals(
  -- The slice.
  slice_id LONG,
  -- When it came.
  ts TIMESTAMP,
  -- The slice's duration.
  dur LONG,
  -- The slice's track.
  track_id LONG,
  -- How long until the track's next one; NULL for the last.
  time_to_next_vsync LONG
) AS
SELECT
  id AS slice_id,
  ts,
  dur,
  track_id,
  lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS time_to_next_vsync
FROM slice
WHERE name = 'VSync'
ORDER BY track_id, ts;

-- The average time between beats in some stretch of time.
CREATE PERFETTO FUNCTION chrome_calculate_avg_vsync_interval(
  -- When the stretch begins.
  begin_ts TIMESTAMP,
  -- When it ends.
  end_ts TIMESTAMP
)
-- In ns; 16 ms, about 60 per second, where no beat was seen.
RETURNS DOUBLE AS
SELECT coalesce(avg(time_to_next_vsync), 1.6e+7)
FROM chrome_vsync_intervals AS beat
WHERE beat.ts >= $begin_ts AND beat.ts < $end_ts;
