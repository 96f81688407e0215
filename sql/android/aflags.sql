-- Feature flags of Android (aconfig flags).

-- The state of a flag at one time. The recorder reads all flags again and again.
CREATE PERFETTO VIEW android_aflags(
  -- Time at which the flags were read, ns in trace time.
  ts TIMESTAMP,
  -- Package of the flag, such as `com.android.window.flags`.
  package STRING,
  -- Name of the flag in its package.
  name STRING,
  -- Namespace that groups flags.
  flag_namespace STRING,
  -- Partition or module that contains the flag, such as `system`.
  container STRING,
  -- Value in effect.
  value STRING,
  -- Value after the next reboot; NULL if it stays the same.
  staged_value STRING,
  -- Whether the flag can be written: `read-only` or `read-write`.
  permission STRING,
  -- Source of the value, such as `default`, `local` or `server`.
  value_picked_from STRING,
  -- Service that stores the flag, such as `aconfigd` or `device_config`.
  storage_backend STRING,
  -- Type of the value, such as `boolean`.
  type STRING
) AS
SELECT
  ts, package, name, flag_namespace, container, value, staged_value, permission,
  value_picked_from, storage_backend, type
FROM __intrinsic_android_aflags;
