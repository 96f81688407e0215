-- CPU utilization and cycles of threads.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Returns the CPU utilization of a thread per period. A time slice counts only until the end of the
-- period in which it starts.
CREATE PERFETTO FUNCTION cpu_thread_utilization_per_period(
  -- Length of a period, ns.
  interval LONG,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Fraction of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- CPU time as a number of fully used CPUs, from 0 to the number of CPUs.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM _cpu_avg_utilization_per_period!(
  $interval, (SELECT ts, ts_end FROM sched WHERE utid = $utid)
);

-- Returns the CPU utilization of a thread per second.
CREATE PERFETTO FUNCTION cpu_thread_utilization_per_second(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Fraction of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- CPU time as a number of fully used CPUs, from 0 to the number of CPUs.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_thread_utilization_per_period(1000000000, $utid);

-- CPU cycles of a thread on all CPUs.
CREATE PERFETTO TABLE cpu_cycles_per_thread(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the thread ran on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  utid,
  _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu
GROUP BY utid;

-- Returns the CPU cycles of each thread in an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the thread ran on a CPU, ns.
  runtime DURATION,
  -- Time that the thread ran while the system was not suspended, ns.
  awake_runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  utid,
  _cpu_cycle_columns!(known_runtime),
  sum(awake_runtime) AS awake_runtime
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
GROUP BY utid;

-- Returns the CPU utilization of each thread in an interval.
CREATE PERFETTO FUNCTION cpu_thread_utilization_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Process of the thread; NULL if unknown. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Time that the thread ran while the system was not suspended, ns.
  awake_dur LONG,
  -- `awake_dur` in percent of the time of all CPUs.
  awake_utilization DOUBLE,
  -- `awake_dur` in percent of the time of one CPU.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT
  thread.upid,
  utid,
  thread.name AS thread_name,
  _cpu_utilization_columns!($ts, $dur, 6)
FROM cpu_cycles_per_thread_in_interval($ts, $dur)
JOIN thread USING (utid);
