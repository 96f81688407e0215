-- Energy consumption of the power rails of the device, from hardware counters.

INCLUDE PERFETTO MODULE counters.intervals;

-- Metadata of each power rail.
CREATE PERFETTO TABLE android_power_rails_metadata(
  -- Name of the counter track of the rail.
  power_rail_name STRING,
  -- Name of the rail in the hardware.
  raw_power_rail_name STRING,
  -- `power_rail_name` without the prefix `power.rails.`; NULL if it does not have the prefix.
  friendly_name STRING,
  -- Track of the rail; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Subsystem that the rail supplies.
  subsystem_name STRING,
  -- Machine; join with `machine` on `id`.
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

-- An energy counter value of a rail, valid until the next value that differs.
CREATE PERFETTO TABLE android_power_rails_counters(
  -- Row of the counter value; join with `counter` on `id`.
  id ID(counter.id),
  -- Time of the measurement, ns in trace time.
  ts TIMESTAMP,
  -- Time until the next value, ns.
  dur DURATION,
  -- Name of the counter track of the rail.
  power_rail_name STRING,
  -- Name of the rail in the hardware.
  raw_power_rail_name STRING,
  -- Energy since boot, in µWs.
  energy_since_boot DOUBLE,
  -- Energy since boot at the next value, in µWs.
  energy_since_boot_at_end DOUBLE,
  -- Average power until the next value, in mW.
  average_power DOUBLE,
  -- Energy since the previous value, in µWs.
  energy_delta DOUBLE,
  -- Track of the rail; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Same as `energy_since_boot`.
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
