-- Time for which wakelocks of the kernel and of native services were held.

INCLUDE PERFETTO MODULE android.suspend;

INCLUDE PERFETTO MODULE counters.intervals;

-- Growth of the held-time counter of each wakelock from one change to the next.
CREATE PERFETTO TABLE _wakelock_growth AS
SELECT
  changes.id,
  changes.ts,
  changes.dur,
  track.name,
  kind.string_value AS type,
  changes.next_value - changes.value AS held
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN track ON track.id = counter.track_id
  WHERE track.type = 'android_kernel_wakelock'
)) AS changes
JOIN track ON track.id = changes.track_id
LEFT JOIN args AS kind
  ON kind.arg_set_id = track.dimension_arg_set_id AND kind.key = 'wakelock_type';

-- A period between two changes of the counter of a wakelock.
CREATE PERFETTO TABLE android_kernel_wakelocks(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Time of the period in which the device was awake, ns.
  awake_dur DURATION,
  -- Name of the wakelock.
  name STRING,
  -- Kind of wakelock: `kernel` or `native`.
  type STRING,
  -- Time for which the wakelock was held, from its counter, ns.
  held_dur DURATION,
  -- `held_dur` as a fraction of `awake_dur`, from 0 to 1; NULL if `awake_dur` is 0.
  held_ratio DOUBLE
) AS
WITH awake AS (
  SELECT growth.*, growth.dur - suspended.asleep_dur AS awake_dur
  FROM _wakelock_growth AS growth
  JOIN _android_asleep_durations!(_wakelock_growth) AS suspended ON suspended.id = growth.id
  WHERE growth.dur > 0
)
SELECT
  ts,
  dur,
  awake_dur,
  name,
  type,
  CAST(held AS BIGINT) AS held_dur,
  CASE
    WHEN awake_dur = 0 THEN NULL
    WHEN held > awake_dur THEN 1.0
    WHEN held < 0 THEN 0.0
    ELSE held / awake_dur
  END AS held_ratio
FROM awake
ORDER BY ts, name;
