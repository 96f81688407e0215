-- The version of Android that was recorded.

-- Its SDK level.
CREATE PERFETTO FUNCTION _android_sdk_version()
-- As 34 for Android 14; NULL where the trace does not tell.
RETURNS INT AS
SELECT min(int_value)
FROM metadata
WHERE name = 'android_sdk_version';
