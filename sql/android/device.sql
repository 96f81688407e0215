-- Name of the recorded device.

-- Extracts the code name of the device from a build fingerprint.
CREATE PERFETTO FUNCTION android_device_name_from_fingerprint(
  -- Build fingerprint, `brand/product/device:release/…`.
  fingerprint STRING
)
-- Code name, such as `raven`; NULL if the fingerprint has another form.
RETURNS STRING AS
SELECT nullif(split_part(split_part($fingerprint, ':', 1), '/', 3), '');

-- The code name of a recorded device.
CREATE PERFETTO TABLE android_device_name(
  -- Code name, such as `raven`.
  name STRING,
  -- Machine; join with `machine` on `id`.
  machine_id JOINID(machine.id)
) AS
SELECT
  nullif(split_part(split_part(str_value, ':', 1), '/', 3), '') AS name,
  coalesce(machine_id, 0) AS machine_id
FROM metadata
WHERE name = 'android_build_fingerprint';
