-- Android version of the recorded device.

-- Returns the SDK level of Android.
CREATE PERFETTO FUNCTION _android_sdk_version()
-- SDK level, such as 34 for Android 14; NULL if not recorded.
RETURNS INT AS
SELECT min(int_value)
FROM metadata
WHERE name = 'android_sdk_version';
