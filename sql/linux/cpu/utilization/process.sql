-- CPU utilization and cycles of processes.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Returns the CPU utilization of a process per period. A time slice counts only until the end of
-- the period in which it starts.
CREATE PERFETTO FUNCTION cpu_process_utilization_per_period(
  -- Length of a period, ns.
  interval LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id)
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
FROM _cpu_avg_utilization_per_period!($interval, (
  SELECT s.ts, s.ts_end
  FROM sched AS s
  JOIN thread AS t ON t.utid = s.utid
  WHERE t.upid = $upid AND coalesce(t.is_idle, 0) = 0
));

-- Returns the CPU utilization of a process per second.
CREATE PERFETTO FUNCTION cpu_process_utilization_per_second(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id)
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
FROM cpu_process_utilization_per_period(1000000000, $upid);

-- CPU cycles of the threads of a process on all CPUs.
CREATE PERFETTO TABLE cpu_cycles_per_process(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the threads of the process ran, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  upid,
  _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu
JOIN thread USING (utid)
WHERE upid IS NOT NULL
GROUP BY upid;

-- Returns the CPU cycles of the threads of each process in an interval. Threads without a process
-- form one row with a NULL `upid`.
CREATE PERFETTO FUNCTION cpu_cycles_per_process_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the threads of the process ran, ns.
  runtime DURATION,
  -- Time that the threads of the process ran while the system was not suspended, ns.
  awake_runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  upid,
  _cpu_cycle_columns!(known_runtime),
  sum(awake_runtime) AS awake_runtime
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
JOIN thread USING (utid)
GROUP BY upid;

-- Returns the CPU utilization of each process in an interval.
CREATE PERFETTO FUNCTION cpu_process_utilization_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Time that the threads of the process ran while the system was not suspended, ns.
  awake_dur LONG,
  -- `awake_dur` in percent of the time of all CPUs.
  awake_utilization DOUBLE,
  -- `awake_dur` in percent of the time of one CPU.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT
  upid,
  process.name AS process_name,
  _cpu_utilization_columns!($ts, $dur, 6)
FROM cpu_cycles_per_process_in_interval($ts, $dur)
JOIN process USING (upid);
