-- What Chrome tells of the device it ran on.

-- The class of a ChromeOS device.
CREATE PERFETTO FUNCTION chrome_hardware_class()
-- As the device's makers name it; NULL where the trace does not tell.
RETURNS STRING AS
SELECT min(str_value)
FROM metadata
WHERE name = 'cr-hardware-class';
