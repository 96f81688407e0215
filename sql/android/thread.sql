-- The names of Android's threads, and how many of them processes start.

-- A thread's name without the numbers and places that tell it from its like.
CREATE PERFETTO FUNCTION android_standardize_thread_name(
  -- The name.
  thread_name STRING
)
-- What stands before the first `-`, `[`, `:` or blank, with `<num>` for numbers, hexadecimal ones
-- too.
RETURNS STRING AS
SELECT
  regexp_replace(
    regexp_replace(
      regexp_replace(regexp_replace($thread_name, '[-\[: ].*$', ''), '^kworker/.*$', 'kworker'),
      '(^|[^0-9A-Za-z])[a-fA-F]*[0-9][0-9a-fA-F]*', '\1<num>', 'g'
    ),
    '[0-9][0-9a-fA-F]*', '<num>', 'g'
  );

-- The threads whose beginning was seen, under such names.
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

-- The most threads of one kind that a process started within some time.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_thread(
  -- Count only threads that lived no longer than this, in ns; NULL for all.
  max_thread_dur DOUBLE,
  -- The time in which they are counted, in ns.
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  -- The process's name.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- The threads' name without what tells them apart.
  thread_name_prefix STRING,
  -- The most of them.
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

-- The most threads that a process started within some time.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_process(
  -- Count only threads that lived no longer than this, in ns; NULL for all.
  max_thread_dur DOUBLE,
  -- The time in which they are counted, in ns.
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  -- The process's name.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- The most threads.
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
