-- How long the wakelocks of the kernel and of native services kept the device awake.

INCLUDE PERFETTO MODULE android.suspend;

INCLUDE PERFETTO MODULE counters.intervals;

-- What each wakelock's counter of held time grew by from one change to the next.
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

-- A period between two changes of a wakelock's counter.
CREATE PERFETTO TABLE android_kernel_wakelocks(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- How much of it the device was awake.
  awake_dur DURATION,
  -- The wakelock.
  name STRING,
  -- `kernel` or `native`.
  type STRING,
  -- How long the wakelock was held, as its counter tells.
  held_dur DURATION,
  -- That as a part of `awake_dur`, from 0 to 1.
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
