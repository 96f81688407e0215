-- Work for disks.

INCLUDE PERFETTO MODULE intervals.overlap;

-- How many operations of a disk were under way, from one change to the next.
CREATE PERFETTO VIEW linux_active_block_io_operations_by_device(
  -- When the number became so.
  ts LONG,
  -- How many there were from then on, waiting or being done.
  ops_in_queue_or_device LONG,
  -- The kernel's number for the disk.
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

-- The first part of the number of a disk, which is that of its driver.
CREATE PERFETTO FUNCTION linux_device_major_id(
  -- The number as the kernel's events have it.
  dev LONG
)
-- The bits 8 to 19.
RETURNS LONG AS
SELECT ($dev >> 8) & 4095;

-- The second part of the number of a disk, which its driver tells it by.
CREATE PERFETTO FUNCTION linux_device_minor_id(
  -- The number as the kernel's events have it.
  dev LONG
)
-- The bits 0 to 7 and those from 20 on.
RETURNS LONG AS
SELECT ($dev & 255) | (($dev >> 20) << 8);
