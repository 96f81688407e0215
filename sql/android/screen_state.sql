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

-- What the numbers of the states mean, and 0, which stands for all others.
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
WITH periods AS (
  SELECT id, ts, dur, CASE WHEN value BETWEEN 1 AND 6 THEN value ELSE 0 END AS value
  FROM _display_states
  UNION ALL
  -- Before the first of them nothing is known.
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
