-- Counters and writes of the F2FS file system.

-- Statistics of each F2FS counter over the trace.
CREATE PERFETTO VIEW _android_io_f2fs_counter_stats(
  -- Name of the counter, without the device.
  name STRING,
  -- Sum of all values.
  sum DOUBLE,
  -- Highest value.
  max DOUBLE,
  -- Lowest value.
  min DOUBLE,
  -- Time from the first to the last value, ns.
  dur DURATION,
  -- Number of values.
  count LONG,
  -- Average of the values.
  avg DOUBLE
) AS
SELECT
  nullif(split_part(track.name, '].', 2), '') AS name,
  sum(counter.value) AS sum,
  max(counter.value) AS max,
  min(counter.value) AS min,
  max(counter.ts) - min(counter.ts) AS dur,
  count(*) AS count,
  avg(counter.value) AS avg
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE track.name GLOB '*f2fs*'
GROUP BY 1
ORDER BY 2 DESC;

-- Returns an argument of a write, as an aggregate over the rows of a write in `args`.
CREATE PERFETTO MACRO _f2fs_write_arg(
  -- Key of the argument.
  key Expr
)
RETURNS Expr AS
max(arg.int_value) FILTER (WHERE arg.key = $key);

-- Writes of each thread to each file.
CREATE PERFETTO VIEW _android_io_f2fs_write_stats(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- Inode of the file.
  ino LONG,
  -- Device of the file.
  dev LONG,
  -- Number of bytes written.
  bytes LONG,
  -- Number of writes.
  write_count LONG
) AS
WITH writes AS (
  SELECT
    event.utid,
    _f2fs_write_arg!('ino') AS ino,
    _f2fs_write_arg!('dev') AS dev,
    _f2fs_write_arg!('copied') AS copied,
    _f2fs_write_arg!('len') AS len
  FROM ftrace_event AS event
  JOIN args AS arg USING (arg_set_id)
  WHERE event.name GLOB 'f2fs_write_end*'
  GROUP BY event.id, event.utid
),
of_files AS (
  SELECT utid, ino, dev, sum(copied) AS bytes, count(len) AS write_count
  FROM writes
  GROUP BY utid, ino, dev
)
SELECT
  utid,
  thread.tid,
  thread.name AS thread_name,
  upid,
  process.pid,
  process.name AS process_name,
  of_files.ino,
  of_files.dev,
  of_files.bytes,
  of_files.write_count
FROM of_files
JOIN thread USING (utid)
JOIN process USING (upid)
ORDER BY bytes DESC;

-- Totals of all F2FS writes; one row.
CREATE PERFETTO VIEW _android_io_f2fs_aggregate_write_stats(
  -- Number of writes.
  total_write_count LONG,
  -- Number of processes that wrote.
  distinct_processes LONG,
  -- Number of bytes written.
  total_bytes_written LONG,
  -- Number of devices that were written to.
  distinct_device_count LONG,
  -- Number of files that were written to.
  distinct_inode_count LONG,
  -- Number of threads that wrote.
  distinct_thread_count LONG
) AS
SELECT
  sum(write_count) AS total_write_count,
  count(DISTINCT pid) AS distinct_processes,
  sum(bytes) AS total_bytes_written,
  count(DISTINCT dev) AS distinct_device_count,
  count(DISTINCT ino) AS distinct_inode_count,
  count(DISTINCT tid) AS distinct_thread_count
FROM _android_io_f2fs_write_stats;
