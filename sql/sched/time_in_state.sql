-- Time of threads and CPUs in each scheduling state.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- Time that a thread spent in a scheduling state over the trace.
CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Total time of the thread in all states, ns.
  total_runtime LONG,
  -- Scheduling state, as in `thread_state.state`.
  state STRING,
  -- Time of the thread in this state, ns.
  time_in_state LONG,
  -- `time_in_state` in percent of `total_runtime`, rounded down.
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

-- Percentage of its time that a thread spent in each scheduling state. A state that did not occur
-- is NULL.
CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Percentage of time running on a CPU.
  running LONG,
  -- Percentage of time runnable (`R`).
  runnable LONG,
  -- Percentage of time runnable after preemption (`R+`).
  runnable_preempted LONG,
  -- Percentage of time in interruptible sleep (`S`).
  sleeping LONG,
  -- Percentage of time in uninterruptible sleep (`D`).
  uninterruptible_sleep LONG,
  -- Percentage of time in any other kernel state.
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

-- Returns the time of a thread in each scheduling state in an interval, longest first.
CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- Scheduling state, as in `thread_state.state`.
  state STRING,
  -- Whether the state waits for I/O; NULL if unknown.
  io_wait BOOL,
  -- Kernel function in which the thread was blocked; NULL if unknown.
  blocked_function STRING,
  -- Time in the state, ns.
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

-- Returns the time of a thread in each scheduling state and on each CPU in an interval, longest
-- first.
CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- Scheduling state, as in `thread_state.state`.
  state STRING,
  -- Whether the state waits for I/O; NULL if unknown.
  io_wait BOOL,
  -- CPU number on its machine; NULL if the thread is not running.
  cpu LONG,
  -- Kernel function in which the thread was blocked; NULL if unknown.
  blocked_function STRING,
  -- Time in the state on the CPU, ns.
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

-- Returns the time that threads ran on a CPU in an interval, grouped by the state after the switch.
CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(
  -- CPU number on its machine.
  cpu LONG,
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- State of the threads after the switch, as in `sched.end_state`.
  end_state STRING,
  -- Total time that these threads ran, ns.
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
