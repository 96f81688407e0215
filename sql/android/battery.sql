-- Measurements of the battery.

-- A measurement of the battery. Quantities that were not measured at this time are NULL.
CREATE PERFETTO VIEW android_battery_charge(
  -- Time of the measurement, ns in trace time.
  ts TIMESTAMP,
  -- Average current in µA.
  current_avg_ua DOUBLE,
  -- Charge level in percent.
  capacity_percent DOUBLE,
  -- Remaining charge in µAh.
  charge_uah DOUBLE,
  -- Current in µA; negative while the battery discharges.
  current_ua DOUBLE,
  -- Voltage in µV.
  voltage_uv DOUBLE,
  -- Remaining energy in µWh.
  energy_counter_uwh DOUBLE,
  -- Power in mW.
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
