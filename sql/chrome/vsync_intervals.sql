-- Vsyncs that Chrome on Android records in the category `Java`.

-- A vsync.
CREATE PERFETTO TABLE chrome_vsync_intervals(
  -- Slice of the vsync; join with `slice` on `id`.
  slice_id LONG,
  -- Time of the vsync, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the slice, ns.
  dur LONG,
  -- Track of the slice; join with `track` on `id`.
  track_id LONG,
  -- Time until the next vsync on the track, ns; NULL for the last one.
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

-- Returns the average interval between vsyncs in a time range.
CREATE PERFETTO FUNCTION chrome_calculate_avg_vsync_interval(
  -- Start of the range, ns in trace time.
  begin_ts TIMESTAMP,
  -- End of the range, ns in trace time (exclusive).
  end_ts TIMESTAMP
)
-- Average interval in ns; 16 ms (about 60 Hz) if there are no vsyncs in the range.
RETURNS DOUBLE AS
SELECT coalesce(avg(time_to_next_vsync), 1.6e+7)
FROM chrome_vsync_intervals AS beat
WHERE beat.ts >= $begin_ts AND beat.ts < $end_ts;
