-- What the file system F2FS counted and wrote.

-- Figures of each of its counters over the trace.
CREATE PERFETTO VIEW _android_io_f2fs_counter_stats(
  -- The counter, without its device.
  name STRING,
  -- All its values together.
  sum DOUBLE,
  -- Its highest value.
  max DOUBLE,
  -- Its lowest value.
  min DOUBLE,
  -- How long from its first value to the last.
  dur DURATION,
  -- How many values it has.
  count LONG,
  -- The average of its values.
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

-- An argument of a write, of all of one in a group.
CREATE PERFETTO MACRO _f2fs_write_arg(
  -- Its key.
  key Expr
)
RETURNS Expr AS
max(arg.int_value) FILTER (WHERE arg.key = $key);

-- What each thread wrote to each file.
CREATE PERFETTO VIEW _android_io_f2fs_write_stats(
  -- The thread.
  utid JOINID(thread.id),
  -- Its number.
  tid LONG,
  -- Its name.
  thread_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The file's inode.
  ino LONG,
  -- The file's device.
  dev LONG,
  -- How many bytes were written.
  bytes LONG,
  -- How many writes there were.
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

-- All these writes together; one row.
CREATE PERFETTO VIEW _android_io_f2fs_aggregate_write_stats(
  -- How many writes there were.
  total_write_count LONG,
  -- How many processes wrote.
  distinct_processes LONG,
  -- How many bytes were written.
  total_bytes_written LONG,
  -- How many devices were written to.
  distinct_device_count LONG,
  -- How many files were written to.
  distinct_inode_count LONG,
  -- How many threads wrote.
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
