-- Power states of Mali GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- A period in which a Mali GPU had a constant power state.
CREATE PERFETTO TABLE android_mali_gpu_power_state(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power state, a number of the kernel driver. It is to a GPU what the idle state is to a CPU.
  power_state LONG
) AS
SELECT ts, dur, CAST(value AS BIGINT) AS power_state
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.name = 'mali_gpu_power_state'
))
ORDER BY ts;
