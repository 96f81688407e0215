-- Metadata that Chrome records about the device.

-- Returns the hardware class of a ChromeOS device.
CREATE PERFETTO FUNCTION chrome_hardware_class()
-- Hardware class; NULL if not recorded.
RETURNS STRING AS
SELECT min(str_value)
FROM metadata
WHERE name = 'cr-hardware-class';
