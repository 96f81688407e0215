-- Old name of linux.cpu.frequency, with the old name of its table.

INCLUDE PERFETTO MODULE linux.cpu.frequency;

-- A period in which a CPU ran at one frequency.
CREATE PERFETTO VIEW cpu_freq_counters(
  -- Track of the counter; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in kHz.
  freq LONG,
  -- CPU number on its machine.
  cpu LONG
) AS
SELECT track_id, ts, dur, freq, cpu
FROM cpu_frequency_counters;
