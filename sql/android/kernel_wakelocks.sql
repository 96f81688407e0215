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

-- The part of each such period in which the device was awake: the time it had been awake before
-- its end less the time before its beginning.
CREATE PERFETTO TABLE _awake_before AS
WITH moments AS (
  SELECT ts FROM _wakelock_growth
  UNION
  SELECT ts + dur AS ts FROM _wakelock_growth
),
events AS (
  SELECT ts, 1 AS kind, CAST(NULL AS BIGINT) AS state_ts, 0 AS awake, 0 AS state_dur FROM moments
  UNION ALL
  SELECT ts, 0 AS kind, ts AS state_ts, CASE power_state WHEN 'awake' THEN 1 ELSE 0 END, dur
  FROM android_suspend_state
),
running AS (
  SELECT
    ts,
    kind,
    sum(CASE WHEN awake = 1 THEN state_dur ELSE 0 END) OVER before_and_at AS awake_dur,
    max(CASE WHEN awake = 1 THEN state_ts + state_dur END) OVER before_and_at AS awake_until
  FROM events
  WINDOW before_and_at AS (ORDER BY ts, kind ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
-- Of the last period awake, what comes after the moment does not count.
SELECT ts, awake_dur - CASE WHEN awake_until > ts THEN awake_until - ts ELSE 0 END AS awake_dur
FROM running
WHERE kind = 1;

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
SELECT
  growth.ts,
  growth.dur,
  at_end.awake_dur - at_start.awake_dur AS awake_dur,
  growth.name,
  growth.type,
  CAST(growth.held AS BIGINT) AS held_dur,
  CASE
    WHEN at_end.awake_dur = at_start.awake_dur THEN NULL
    WHEN growth.held > at_end.awake_dur - at_start.awake_dur THEN 1.0
    WHEN growth.held < 0 THEN 0.0
    ELSE growth.held / (at_end.awake_dur - at_start.awake_dur)
  END AS held_ratio
FROM _wakelock_growth AS growth
JOIN _awake_before AS at_start ON at_start.ts = growth.ts
JOIN _awake_before AS at_end ON at_end.ts = growth.ts + growth.dur
WHERE growth.dur > 0
ORDER BY growth.ts, growth.name;
