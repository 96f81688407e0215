-- Doze: states in which Android restricts background work because the device is not in use.

INCLUDE PERFETTO MODULE counters.intervals;

-- Names of the values of the counters `DozeLightState` and `DozeDeepState`.
CREATE PERFETTO TABLE _doze_state_names AS
SELECT column1 AS counter_name, column2 AS value, column3 AS name
FROM (
  VALUES
    ('DozeLightState', 0, 'active'),
    ('DozeLightState', 1, 'inactive'),
    ('DozeLightState', 4, 'idle'),
    ('DozeLightState', 5, 'waiting_for_network'),
    ('DozeLightState', 6, 'idle_maintenance'),
    ('DozeLightState', 7, 'override'),
    ('DozeDeepState', 0, 'active'),
    ('DozeDeepState', 1, 'inactive'),
    ('DozeDeepState', 2, 'idle_pending'),
    ('DozeDeepState', 3, 'sensing'),
    ('DozeDeepState', 4, 'locating'),
    ('DozeDeepState', 5, 'idle'),
    ('DozeDeepState', 6, 'idle_maintenance'),
    ('DozeDeepState', 7, 'quick_doze_delay')
);

-- Returns the periods in which one of the counters had a constant value: `id`, `ts`, `dur` and the
-- name of the state.
CREATE PERFETTO MACRO _doze_periods(
  -- Name of the counter.
  counter_name Expr
)
RETURNS TableOrSubquery AS
(
  SELECT __period.id, __period.ts, __period.dur, coalesce(__state.name, 'unmapped') AS state
  FROM counter_leading_intervals!((
    SELECT counter.id, counter.ts, 0 AS track_id, counter.value
    FROM counter
    JOIN counter_track ON counter_track.id = counter.track_id
    WHERE counter_track.name = $counter_name
  )) AS __period
  LEFT JOIN _doze_state_names AS __state
    ON __state.counter_name = $counter_name AND __state.value = __period.value
);

-- A period with a constant light idle state. The device enters light idle soon after it is no
-- longer used.
CREATE PERFETTO TABLE android_light_idle_state(
  -- Counter value that starts the period; join with `counter` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- State: `active` (in use or on power), `inactive` (will be idle soon), `idle`,
  -- `waiting_for_network` (before maintenance), `idle_maintenance`, `override` (the deep idle state
  -- applies); `unmapped` for an unknown value.
  light_idle_state STRING
) AS
SELECT id, ts, dur, state AS light_idle_state
FROM _doze_periods!('DozeLightState')
ORDER BY ts;

-- A period with a constant deep idle state. The device enters deep idle after a longer time
-- without use and motion, and restricts more.
CREATE PERFETTO TABLE android_deep_idle_state(
  -- Counter value that starts the period; join with `counter` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- State: `active`, `inactive`, `idle_pending`, `sensing` (motion), `locating`, `idle`,
  -- `idle_maintenance`, `quick_doze_delay` (idle without sensing and locating comes next);
  -- `unmapped` for an unknown value.
  deep_idle_state STRING
) AS
SELECT id, ts, dur, state AS deep_idle_state
FROM _doze_periods!('DozeDeepState')
ORDER BY ts;
