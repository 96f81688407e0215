-- The users of the device.

-- A user of Android's, not of Linux.
CREATE PERFETTO VIEW android_user_list(
  -- The user, as in `android_process_metadata.user_id`.
  android_user_id LONG,
  -- What kind of user, as `SECONDARY` or `GUEST`.
  type STRING
) AS
SELECT android_user_id, type
FROM __intrinsic_android_user_list;
