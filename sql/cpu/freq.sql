-- The older name of linux.cpu.frequency, with the older name of its table.

INCLUDE PERFETTO MODULE linux.cpu.frequency;

-- A stretch of time in which a CPU had a frequency.
CREATE PERFETTO VIEW cpu_freq_counters(
  -- The counter.
  track_id JOINID(track.id),
  -- When it became so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- The frequency in kHz.
  freq LONG,
  -- The machine's number for the CPU.
  cpu LONG
) AS
SELECT track_id, ts, dur, freq, cpu
FROM cpu_frequency_counters;
