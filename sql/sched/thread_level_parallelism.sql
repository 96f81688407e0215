-- Number of threads in a scheduling state over time.

INCLUDE PERFETTO MODULE intervals.overlap;

-- Number of runnable threads, from one change to the next. Preempted threads do not count.
CREATE PERFETTO TABLE sched_runnable_thread_count(
  -- Time of the change, ns in trace time.
  ts TIMESTAMP,
  -- Number of runnable threads from then on.
  runnable_thread_count LONG
) AS
SELECT ts, value AS runnable_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'R'), ts, dur)
ORDER BY ts;

-- Number of threads in uninterruptible sleep, from one change to the next.
CREATE PERFETTO TABLE sched_uninterruptible_sleep_thread_count(
  -- Time of the change, ns in trace time.
  ts TIMESTAMP,
  -- Number of threads in uninterruptible sleep from then on.
  uninterruptible_sleep_thread_count LONG
) AS
SELECT ts, value AS uninterruptible_sleep_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'D'), ts, dur)
ORDER BY ts;

-- Number of CPUs that run a thread other than the idle thread, from one change to the next.
CREATE PERFETTO TABLE sched_active_cpu_count(
  -- Time of the change, ns in trace time.
  ts TIMESTAMP,
  -- Number of active CPUs from then on.
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
