-- Block I/O operations.

INCLUDE PERFETTO MODULE intervals.overlap;

-- Number of block I/O operations of a device in progress, from one change to the next.
CREATE PERFETTO VIEW linux_active_block_io_operations_by_device(
  -- Time of the change, ns in trace time.
  ts LONG,
  -- Number of operations from then on, queued or in the device.
  ops_in_queue_or_device LONG,
  -- Kernel device number.
  dev LONG
) AS
SELECT ts, value AS ops_in_queue_or_device, group_name AS dev
FROM intervals_overlap_count_by_group!((
  SELECT s.ts, s.dur, a.int_value AS dev
  FROM slice AS s
  JOIN track AS t ON t.id = s.track_id
  LEFT JOIN args AS a ON a.arg_set_id = t.dimension_arg_set_id AND a.key = 'block_device'
  WHERE t.type = 'block_io'
), ts, dur, dev);

-- Returns the major number of a device, which identifies its driver.
CREATE PERFETTO FUNCTION linux_device_major_id(
  -- Device number, as in kernel events.
  dev LONG
)
-- Major number: bits 8 to 19.
RETURNS LONG AS
SELECT ($dev >> 8) & 4095;

-- Returns the minor number of a device, which identifies it within its driver.
CREATE PERFETTO FUNCTION linux_device_minor_id(
  -- Device number, as in kernel events.
  dev LONG
)
-- Minor number: bits 0 to 7, and 20 and above.
RETURNS LONG AS
SELECT ($dev & 255) | (($dev >> 20) << 8);
