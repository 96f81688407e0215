-- The device that was recorded.

-- The device's code name out of the fingerprint of its build.
CREATE PERFETTO FUNCTION android_device_name_from_fingerprint(
  -- The fingerprint, `brand/product/device:release/…`.
  fingerprint STRING
)
-- As `raven`; NULL where it has another form.
RETURNS STRING AS
SELECT nullif(split_part(split_part($fingerprint, ':', 1), '/', 3), '');

-- A recorded machine's code name.
CREATE PERFETTO TABLE android_device_name(
  -- The code name, as `raven`.
  name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT
  nullif(split_part(split_part(str_value, ':', 1), '/', 3), '') AS name,
  coalesce(machine_id, 0) AS machine_id
FROM metadata
WHERE name = 'android_build_fingerprint';
