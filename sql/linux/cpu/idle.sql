-- How deeply CPUs slept.

INCLUDE PERFETTO MODULE counters.intervals;

-- A stretch of time in which a CPU slept, or did not.
CREATE PERFETTO TABLE cpu_idle_counters(
  -- The counter's value.
  id LONG,
  -- The counter.
  track_id JOINID(track.id),
  -- When it became so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- How deeply it slept, from 0 on; -1 when it did not.
  idle LONG,
  -- The machine's number for the CPU.
  cpu LONG
) AS
SELECT
  i.id, i.track_id, i.ts, i.dur,
  -- The kernel counts from -1 in 32 bits without a sign.
  CASE WHEN i.value = 4294967295 THEN -1 ELSE CAST(i.value AS INT) END AS idle,
  t.cpu
FROM counter_leading_intervals!((
  SELECT c.id, c.ts, c.track_id, c.value
  FROM counter AS c
  JOIN cpu_counter_track AS t ON t.id = c.track_id
  WHERE t.name = 'cpuidle'
)) AS i
JOIN cpu_counter_track AS t ON t.id = i.track_id;
