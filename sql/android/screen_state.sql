-- State of the screen over time.

INCLUDE PERFETTO MODULE counters.intervals;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- Display states, one row per change.
CREATE PERFETTO TABLE _display_states AS
SELECT id, ts, dur, CAST(value AS BIGINT) AS value
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, 0 AS track_id, counter.value
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.name = 'ScreenState'
))
WHERE dur > 0;

-- Meaning of the state values; 0 stands for all other values.
CREATE PERFETTO TABLE _display_state_names AS
SELECT
  column1 AS value,
  column2 AS simple_screen_state,
  column3 AS short_screen_state,
  column4 AS screen_state
FROM (
  VALUES
    (0, 'unknown', 'unknown', 'Unknown'),
    (1, 'off', 'off', 'Screen off'),
    (2, 'on', 'on', 'Screen on'),
    (3, 'doze', 'doze', 'Always-on display (doze)'),
    (4, 'doze', 'doze-suspend', 'Always-on display (doze-suspend)'),
    (5, 'on', 'on-vr', 'Screen on (VR)'),
    (6, 'on', 'on-suspend', 'Screen on (suspend)')
);

-- A period in which the screen had a constant state.
CREATE PERFETTO TABLE android_screen_state(
  -- Unique id of the period.
  id ID,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Simple state: `on`, `off`, `doze` (always-on display) or `unknown`.
  simple_screen_state STRING,
  -- Like `simple_screen_state`, but with `doze-suspend`, `on-vr` and `on-suspend` as separate
  -- states.
  short_screen_state STRING,
  -- Description of the state.
  screen_state STRING
) AS
WITH periods AS (
  SELECT id, ts, dur, CASE WHEN value BETWEEN 1 AND 6 THEN value ELSE 0 END AS value
  FROM _display_states
  UNION ALL
  -- The state before the first value is unknown.
  SELECT
    coalesce(max(id), 0) + 1,
    trace_start(),
    coalesce(min(ts), trace_end()) - trace_start(),
    0
  FROM _display_states
)
SELECT id, ts, dur, simple_screen_state, short_screen_state, screen_state
FROM periods
JOIN _display_state_names USING (value)
WHERE dur > 0
ORDER BY ts;
