-- Frequencies of GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- A period in which a GPU had a constant frequency.
CREATE PERFETTO TABLE android_gpu_frequency(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- GPU number, as in `gpu_counter_track.gpu_id`.
  gpu_id LONG,
  -- Frequency in the unit of the kernel driver, usually kHz.
  gpu_freq LONG,
  -- Previous frequency.
  prev_gpu_freq LONG,
  -- Next frequency.
  next_gpu_freq LONG
) AS
SELECT
  changes.ts,
  changes.dur,
  track.gpu_id,
  CAST(changes.value AS BIGINT) AS gpu_freq,
  CAST(changes.value - changes.delta_value AS BIGINT) AS prev_gpu_freq,
  CAST(changes.next_value AS BIGINT) AS next_gpu_freq
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN gpu_counter_track AS of_gpu ON of_gpu.id = counter.track_id
  WHERE of_gpu.name = 'gpufreq' AND of_gpu.gpu_id IS NOT NULL
)) AS changes
JOIN gpu_counter_track AS track ON track.id = changes.track_id
ORDER BY changes.ts;
