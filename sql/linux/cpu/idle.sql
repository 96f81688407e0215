-- Idle states of CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- A period in which a CPU was in one idle state.
CREATE PERFETTO TABLE cpu_idle_counters(
  -- Row of the counter value; join with `counter` on `id`.
  id LONG,
  -- Track of the counter; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Idle state: a higher value is deeper; -1 when not idle.
  idle LONG,
  -- CPU number on its machine.
  cpu LONG
) AS
SELECT
  i.id, i.track_id, i.ts, i.dur,
  -- The kernel records -1 as an unsigned 32-bit value.
  CASE WHEN i.value = 4294967295 THEN -1 ELSE CAST(i.value AS INT) END AS idle,
  t.cpu
FROM counter_leading_intervals!((
  SELECT c.id, c.ts, c.track_id, c.value
  FROM counter AS c
  JOIN cpu_counter_track AS t ON t.id = c.track_id
  WHERE t.name = 'cpuidle'
)) AS i
JOIN cpu_counter_track AS t ON t.id = i.track_id;
