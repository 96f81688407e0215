-- Frequencies of devices other than CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- Returns the frequencies of devices with a name that matches a pattern, as intervals.
CREATE PERFETTO FUNCTION _get_devfreq_counters(
  -- GLOB pattern for the device name.
  device_name STRING
)
RETURNS TABLE(
  -- Row of the counter value; join with `counter` on `id`.
  id LONG,
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in the unit of the kernel driver.
  freq LONG
) AS
SELECT id, ts, dur, CAST(value AS INT) AS freq
FROM counter_leading_intervals!((
  SELECT c.id, c.ts, c.track_id, c.value
  FROM counter AS c
  JOIN track AS t ON t.id = c.track_id
  JOIN args AS a ON a.arg_set_id = t.dimension_arg_set_id AND a.key = 'linux_device'
  WHERE t.type = 'linux_device_frequency' AND a.string_value GLOB $device_name
));

-- A period in which the DSU (the shared unit of an Arm CPU cluster) ran at one frequency.
CREATE PERFETTO TABLE linux_devfreq_dsu_counter(
  -- Row of the counter value; join with `counter` on `id`.
  id LONG,
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in the unit of the kernel driver.
  dsu_freq LONG
) AS
SELECT id, ts, dur, freq AS dsu_freq FROM _get_devfreq_counters('*devfreq_dsu')
UNION ALL
SELECT id, ts, dur, freq FROM _get_devfreq_counters('*dsufreq');
