-- Whether the screen was on.

INCLUDE PERFETTO MODULE counters.intervals;

-- The states of the display, one row for every change.
CREATE PERFETTO TABLE _display_states AS
SELECT id, ts, dur, CAST(value AS BIGINT) AS value
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, 0 AS track_id, counter.value
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.name = 'ScreenState'
))
WHERE dur > 0;

-- The same, and one before them in which nothing is known.
CREATE PERFETTO TABLE _display_states_of_trace AS
SELECT id, ts, dur, value
FROM _display_states
UNION ALL
SELECT
  coalesce(max(id), 0) + 1 AS id,
  trace_start() AS ts,
  coalesce(min(ts), trace_end()) - trace_start() AS dur,
  0 AS value
FROM _display_states;

-- A period in which the screen kept its state.
CREATE PERFETTO TABLE android_screen_state(
  -- The period's number.
  id ID,
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- `on`, `off`, `doze` (the always-on display) or `unknown`.
  simple_screen_state STRING,
  -- The same with `doze-suspend`, `on-vr` and `on-suspend`.
  short_screen_state STRING,
  -- The state in words.
  screen_state STRING
) AS
SELECT
  id,
  ts,
  dur,
  CASE
    WHEN value = 1 THEN 'off'
    WHEN value IN (2, 5, 6) THEN 'on'
    WHEN value IN (3, 4) THEN 'doze'
    ELSE 'unknown'
  END AS simple_screen_state,
  CASE value
    WHEN 1 THEN 'off'
    WHEN 2 THEN 'on'
    WHEN 3 THEN 'doze'
    WHEN 4 THEN 'doze-suspend'
    WHEN 5 THEN 'on-vr'
    WHEN 6 THEN 'on-suspend'
    ELSE 'unknown'
  END AS short_screen_state,
  CASE value
    WHEN 1 THEN 'Screen off'
    WHEN 2 THEN 'Screen on'
    WHEN 3 THEN 'Always-on display (doze)'
    WHEN 4 THEN 'Always-on display (doze-suspend)'
    WHEN 5 THEN 'Screen on (VR)'
    WHEN 6 THEN 'Screen on (suspend)'
    ELSE 'Unknown'
  END AS screen_state
FROM _display_states_of_trace
WHERE dur > 0
ORDER BY ts;
