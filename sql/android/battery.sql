-- The battery's charge, as the device measures it.

-- A measurement of the battery. What was not measured at the moment is NULL.
CREATE PERFETTO VIEW android_battery_charge(
  -- When it was measured.
  ts TIMESTAMP,
  -- The average current, in microamperes.
  current_avg_ua DOUBLE,
  -- How full the battery is, in percent.
  capacity_percent DOUBLE,
  -- The charge left, in microampere-hours.
  charge_uah DOUBLE,
  -- The current, in microamperes: negative while the battery is emptied.
  current_ua DOUBLE,
  -- The voltage, in microvolts.
  voltage_uv DOUBLE,
  -- The energy left, in microwatt-hours.
  energy_counter_uwh DOUBLE,
  -- The power, in milliwatts.
  power_mw DOUBLE
) AS
SELECT
  counter.ts,
  max(CASE WHEN track.name = 'batt.current.avg_ua' THEN counter.value END) AS current_avg_ua,
  max(CASE WHEN track.name = 'batt.capacity_pct' THEN counter.value END) AS capacity_percent,
  max(CASE WHEN track.name = 'batt.charge_uah' THEN counter.value END) AS charge_uah,
  max(CASE WHEN track.name = 'batt.current_ua' THEN counter.value END) AS current_ua,
  max(CASE WHEN track.name = 'batt.voltage_uv' THEN counter.value END) AS voltage_uv,
  max(CASE WHEN track.name = 'batt.energy_counter_uwh' THEN counter.value END)
    AS energy_counter_uwh,
  max(CASE WHEN track.name = 'batt.power_mw' THEN counter.value END) AS power_mw
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE track.name GLOB 'batt.*'
GROUP BY counter.ts
ORDER BY counter.ts;
