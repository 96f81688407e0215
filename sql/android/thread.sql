-- Normalized names of Android threads, and rates of thread creation.

-- Removes the variable parts of a thread name, such as numbers.
CREATE PERFETTO FUNCTION android_standardize_thread_name(
  -- Name of the thread.
  thread_name STRING
)
-- Part of the name before the first `-`, `[`, `:` or space, with numbers (also hexadecimal)
-- replaced by `<num>`.
RETURNS STRING AS
SELECT
  regexp_replace(
    regexp_replace(
      regexp_replace(regexp_replace($thread_name, '[-\[: ].*$', ''), '^kworker/.*$', 'kworker'),
      '(^|[^0-9A-Za-z])[a-fA-F]*[0-9][0-9a-fA-F]*', '\1<num>', 'g'
    ),
    '[0-9][0-9a-fA-F]*', '<num>', 'g'
  );

-- Threads with a recorded start, with their normalized names.
CREATE PERFETTO TABLE _threads_started AS
SELECT
  thread.upid,
  process.name AS process_name,
  regexp_replace(
    regexp_replace(
      regexp_replace(regexp_replace(thread.name, '[-\[: ].*$', ''), '^kworker/.*$', 'kworker'),
      '(^|[^0-9A-Za-z])[a-fA-F]*[0-9][0-9a-fA-F]*', '\1<num>', 'g'
    ),
    '[0-9][0-9a-fA-F]*', '<num>', 'g'
  ) AS prefix,
  thread.start_ts,
  thread.end_ts - thread.start_ts AS dur
FROM thread
JOIN process USING (upid)
WHERE thread.start_ts IS NOT NULL;

-- Returns the highest number of threads with the same normalized name that a process started within
-- a time window.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_thread(
  -- Maximum lifetime of counted threads, in ns; NULL to count all threads.
  max_thread_dur DOUBLE,
  -- Length of the time window, in ns.
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Normalized name of the threads.
  thread_name_prefix STRING,
  -- Highest number of threads in a window.
  max_count_per_sec LONG
) AS
SELECT process_name, upid, thread_name_prefix, max(started) AS max_count_per_sec
FROM (
  SELECT
    one.process_name,
    one.upid,
    one.prefix AS thread_name_prefix,
    one.start_ts,
    count(*) AS started
  FROM _threads_started AS one
  JOIN _threads_started AS other
    ON other.upid = one.upid
    AND other.prefix = one.prefix
    AND other.start_ts BETWEEN one.start_ts AND one.start_ts + $sliding_window_dur
  WHERE
    ($max_thread_dur IS NULL OR one.dur <= $max_thread_dur)
    AND ($max_thread_dur IS NULL OR other.dur <= $max_thread_dur)
  GROUP BY one.process_name, one.upid, one.prefix, one.start_ts
)
GROUP BY process_name, upid, thread_name_prefix
ORDER BY max_count_per_sec DESC;

-- Returns the highest number of threads that a process started within a time window.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_process(
  -- Maximum lifetime of counted threads, in ns; NULL to count all threads.
  max_thread_dur DOUBLE,
  -- Length of the time window, in ns.
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Highest number of threads in a window.
  max_count_per_sec LONG
) AS
SELECT process_name, upid, max(started) AS max_count_per_sec
FROM (
  SELECT one.process_name, one.upid, one.start_ts, count(*) AS started
  FROM _threads_started AS one
  JOIN _threads_started AS other
    ON other.upid = one.upid
    AND other.start_ts BETWEEN one.start_ts AND one.start_ts + $sliding_window_dur
  WHERE
    ($max_thread_dur IS NULL OR one.dur <= $max_thread_dur)
    AND ($max_thread_dur IS NULL OR other.dur <= $max_thread_dur)
  GROUP BY one.process_name, one.upid, one.start_ts
)
GROUP BY process_name, upid
ORDER BY max_count_per_sec DESC;
