-- Frequencies of CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- A period in which a CPU ran at one frequency.
CREATE PERFETTO TABLE cpu_frequency_counters(
  -- Row of the counter value; join with `counter` on `id`.
  id LONG,
  -- Track of the counter; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in kHz.
  freq LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu LONG,
  -- CPU number on its machine.
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
