-- How many threads ran, waited for a CPU or waited otherwise at the same time.

INCLUDE PERFETTO MODULE intervals.overlap;

-- How many threads waited for a CPU, from one change to the next. Threads that were preempted
-- do not count.
CREATE PERFETTO TABLE sched_runnable_thread_count(
  -- When the number became so.
  ts TIMESTAMP,
  -- How many there were from then on.
  runnable_thread_count LONG
) AS
SELECT ts, value AS runnable_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'R'), ts, dur)
ORDER BY ts;

-- How many threads slept without being open to signals, from one change to the next.
CREATE PERFETTO TABLE sched_uninterruptible_sleep_thread_count(
  -- When the number became so.
  ts TIMESTAMP,
  -- How many there were from then on.
  uninterruptible_sleep_thread_count LONG
) AS
SELECT ts, value AS uninterruptible_sleep_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'D'), ts, dur)
ORDER BY ts;

-- How many CPUs ran threads rather than being idle, from one change to the next.
CREATE PERFETTO TABLE sched_active_cpu_count(
  -- When the number became so.
  ts TIMESTAMP,
  -- How many there were from then on.
  active_cpu_count LONG
) AS
SELECT ts, value AS active_cpu_count
FROM intervals_overlap_count!((
  SELECT s.ts, s.dur
  FROM sched AS s
  JOIN thread AS t ON t.utid = s.utid
  WHERE coalesce(t.is_idle, 0) = 0
), ts, dur)
ORDER BY ts;
