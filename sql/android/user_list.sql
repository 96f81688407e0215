-- Android users of the device.

-- An Android user (not a Linux user).
CREATE PERFETTO VIEW android_user_list(
  -- Id of the Android user; join with `android_process_metadata` on `user_id`.
  android_user_id LONG,
  -- Kind of user, such as `SECONDARY` or `GUEST`.
  type STRING
) AS
SELECT android_user_id, type
FROM __intrinsic_android_user_list;
