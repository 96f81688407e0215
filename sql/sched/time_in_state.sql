-- How long threads and CPUs spent in which states.

-- How long a thread was in a state.
CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  -- The thread.
  utid JOINID(thread.id),
  -- How long it was in any state.
  total_runtime LONG,
  -- The state, as `thread_state.state` has it.
  state STRING,
  -- How long it was in this one.
  time_in_state LONG,
  -- How much of a hundred that is, rounded down.
  percentage_in_state LONG
) AS
WITH summed AS (
  SELECT
    utid,
    state,
    sum(dur) AS time_in_state,
    sum(sum(dur)) OVER (PARTITION BY utid) AS total_runtime
  FROM thread_state
  GROUP BY utid, state
)
SELECT
  utid, total_runtime, state, time_in_state,
  time_in_state * 100 / total_runtime AS percentage_in_state
FROM summed;

-- What share of its time a thread spent in each state, in hundredths; NULL where it was never in
-- it.
CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  -- The thread.
  utid JOINID(thread.id),
  -- Running on a CPU.
  running LONG,
  -- Waiting for a CPU.
  runnable LONG,
  -- Waiting for a CPU since another thread took it.
  runnable_preempted LONG,
  -- Sleeping until something wakes it.
  sleeping LONG,
  -- Sleeping and not open to signals.
  uninterruptible_sleep LONG,
  -- In any other state that the kernel has.
  other LONG
) AS
SELECT
  utid,
  max(percentage_in_state) FILTER (WHERE state = 'Running') AS running,
  max(percentage_in_state) FILTER (WHERE state = 'R') AS runnable,
  max(percentage_in_state) FILTER (WHERE state = 'R+') AS runnable_preempted,
  max(percentage_in_state) FILTER (WHERE state = 'S') AS sleeping,
  max(percentage_in_state) FILTER (WHERE state = 'D') AS uninterruptible_sleep,
  sum(time_in_state) FILTER (
    WHERE state IN ('T', 't', 'X', 'Z', 'x', 'I', 'K', 'W', 'P', 'N')
  ) * 100 / max(total_runtime) AS other
FROM sched_time_in_state_for_thread
GROUP BY utid;

-- How long a thread was in which state within an interval, the longest first.
CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- The state, as `thread_state.state` has it.
  state STRING,
  -- Whether it waited for input or output.
  io_wait BOOL,
  -- The kernel's function in which it waited.
  blocked_function STRING,
  -- For how long.
  dur DURATION
) AS
SELECT
  state, io_wait, blocked_function, sum(within) AS dur
FROM (
  SELECT
    state, io_wait, blocked_function,
    min(ts + dur, $ts + $dur) - max(ts, $ts) AS within
  FROM thread_state
  WHERE utid = $utid AND dur > 0 AND ts < $ts + $dur AND ts + dur > $ts
)
GROUP BY state, io_wait, blocked_function
ORDER BY dur DESC;

-- How long a thread was in which state and on which CPU within an interval, the longest first.
CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- The state, as `thread_state.state` has it.
  state STRING,
  -- Whether it waited for input or output.
  io_wait BOOL,
  -- The CPU it ran on.
  cpu LONG,
  -- The kernel's function in which it waited.
  blocked_function STRING,
  -- For how long.
  dur DURATION
) AS
SELECT
  state, io_wait, cpu, blocked_function, sum(within) AS dur
FROM (
  SELECT
    state, io_wait, cpu, blocked_function,
    min(ts + dur, $ts + $dur) - max(ts, $ts) AS within
  FROM thread_state
  WHERE utid = $utid AND dur > 0 AND ts < $ts + $dur AND ts + dur > $ts
)
GROUP BY state, io_wait, cpu, blocked_function
ORDER BY dur DESC;

-- How long threads ran on a CPU within an interval, by the state they went to afterwards.
CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(
  -- The CPU.
  cpu LONG,
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- The state they went to.
  end_state STRING,
  -- How long they had run.
  dur LONG
) AS
SELECT end_state, sum(within) AS dur
FROM (
  SELECT
    end_state,
    min(ts + dur, $ts + $dur) - max(ts, $ts) AS within
  FROM sched
  WHERE cpu = $cpu AND dur != -1 AND ts < $ts + $dur AND ts + dur > $ts
)
GROUP BY end_state;
