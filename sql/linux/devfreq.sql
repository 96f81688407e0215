-- Frequencies of devices other than CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- The frequency of the devices whose name a pattern matches, as intervals.
CREATE PERFETTO FUNCTION _get_devfreq_counters(
  -- A pattern as of GLOB.
  device_name STRING
)
RETURNS TABLE(
  -- The counter's value.
  id LONG,
  -- When it became so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- The frequency, as the kernel says it.
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

-- The frequency of the unit that the CPUs of an Arm cluster share.
CREATE PERFETTO TABLE linux_devfreq_dsu_counter(
  -- The counter's value.
  id LONG,
  -- When it became so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- The frequency, as the kernel says it.
  dsu_freq LONG
) AS
SELECT id, ts, dur, freq AS dsu_freq FROM _get_devfreq_counters('*devfreq_dsu')
UNION ALL
SELECT id, ts, dur, freq FROM _get_devfreq_counters('*dsufreq');
