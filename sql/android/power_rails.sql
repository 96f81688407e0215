-- The energy that the device's power rails took, as its hardware counts it.

INCLUDE PERFETTO MODULE counters.intervals;

-- What the device tells of each rail.
CREATE PERFETTO TABLE android_power_rails_metadata(
  -- The rail: its track's name.
  power_rail_name STRING,
  -- The rail as the hardware calls it.
  raw_power_rail_name STRING,
  -- The rail's name without `power.rails.`, for those that have a name for people.
  friendly_name STRING,
  -- The rail's track.
  track_id JOINID(track.id),
  -- The part of the device it feeds.
  subsystem_name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT
  track.name AS power_rail_name,
  raw.string_value AS raw_power_rail_name,
  CASE
    WHEN track.name GLOB 'power.rails.*' THEN substr(track.name, length('power.rails.') + 1)
  END AS friendly_name,
  track.id AS track_id,
  subsystem.string_value AS subsystem_name,
  track.machine_id
FROM counter_track AS track
LEFT JOIN args AS raw ON raw.arg_set_id = track.source_arg_set_id AND raw.key = 'raw_name'
LEFT JOIN args AS subsystem
  ON subsystem.arg_set_id = track.source_arg_set_id AND subsystem.key = 'subsystem_name'
WHERE track.type = 'power_rails';

-- A rail's count of energy, and what became of it until the next one that differs.
CREATE PERFETTO TABLE android_power_rails_counters(
  -- The counter's value.
  id ID(counter.id),
  -- When it was measured.
  ts TIMESTAMP,
  -- How long until the next one.
  dur DURATION,
  -- The rail: its track's name.
  power_rail_name STRING,
  -- The rail as the hardware calls it.
  raw_power_rail_name STRING,
  -- The energy since the device was booted, in microwatt-seconds.
  energy_since_boot DOUBLE,
  -- The same at the next measurement.
  energy_since_boot_at_end DOUBLE,
  -- The average power between the two, in milliwatts.
  average_power DOUBLE,
  -- The energy since the measurement before, in microwatt-seconds.
  energy_delta DOUBLE,
  -- The rail's track.
  track_id JOINID(track.id),
  -- The same as `energy_since_boot`.
  value DOUBLE
) AS
SELECT
  changes.id,
  changes.ts,
  changes.dur,
  rail.power_rail_name,
  rail.raw_power_rail_name,
  changes.value AS energy_since_boot,
  changes.next_value AS energy_since_boot_at_end,
  1e6 * (changes.next_value - changes.value) / changes.dur AS average_power,
  changes.delta_value AS energy_delta,
  changes.track_id,
  changes.value
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.type = 'power_rails'
)) AS changes
JOIN android_power_rails_metadata AS rail ON rail.track_id = changes.track_id
ORDER BY changes.ts, changes.id;
