-- Charging states of the battery.

INCLUDE PERFETTO MODULE counters.intervals;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- Names of the states in the counter `BatteryStatus`.
CREATE PERFETTO TABLE _charging_state_names AS
SELECT column1 AS value, column2 AS short_name, column3 AS name
FROM (
  VALUES
    (2, 'charging', 'Charging'),
    (3, 'discharging', 'Discharging'),
    (4, 'not_charging', 'Not charging'),
    (5, 'full', 'Full')
);

-- A period in which the charging state was constant. The periods cover the whole trace.
CREATE PERFETTO TABLE android_charging_states(
  -- Unique id of the period, in order of time.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Short name of the state: `charging`, `discharging`, `not_charging`, `full` or `unknown`.
  short_charging_state STRING,
  -- Name of the state: `Charging`, `Discharging`, `Not charging` (the charger is connected but the
  -- battery is not charged), `Full` or `Unknown`.
  charging_state STRING
) AS
WITH values_over_time AS (
  SELECT ts, dur, value
  FROM counter_leading_intervals!((
    SELECT counter.id, counter.ts, 0 AS track_id, counter.value
    FROM counter
    JOIN counter_track AS track ON track.id = counter.track_id
    WHERE track.name = 'BatteryStatus'
  ))
),
periods AS (
  SELECT ts, dur, value
  FROM values_over_time
  UNION ALL
  -- The state before the first value is unknown.
  SELECT trace_start(), coalesce(min(ts), trace_end()) - trace_start(), CAST(NULL AS DOUBLE)
  FROM values_over_time
)
SELECT
  row_number() OVER (ORDER BY periods.ts) AS id,
  periods.ts,
  periods.dur,
  coalesce(state.short_name, 'unknown') AS short_charging_state,
  coalesce(state.name, 'Unknown') AS charging_state
FROM periods
LEFT JOIN _charging_state_names AS state ON state.value = periods.value
WHERE periods.dur > 0
ORDER BY periods.ts;
