-- Frequencies of CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- A stretch of time in which a CPU had a frequency.
CREATE PERFETTO TABLE cpu_frequency_counters(
  -- The counter's value.
  id LONG,
  -- The counter.
  track_id JOINID(track.id),
  -- When it became so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- The frequency in kHz.
  freq LONG,
  -- The CPU, unique over machines.
  ucpu LONG,
  -- The machine's number for the CPU.
  cpu LONG
) AS
SELECT
  f.id, f.track_id, f.ts, f.dur, CAST(f.value AS INT) AS freq, cpu.ucpu, t.cpu
FROM counter_leading_intervals!((
  SELECT c.id, c.ts, c.track_id, c.value
  FROM counter AS c
  JOIN cpu_counter_track AS t ON t.id = c.track_id
  WHERE t.name = 'cpufreq'
)) AS f
JOIN cpu_counter_track AS t ON t.id = f.track_id
JOIN cpu ON cpu.cpu = t.cpu AND cpu.machine_id IS t.machine_id;
