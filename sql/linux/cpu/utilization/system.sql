-- CPU utilization and cycles of the whole system.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Returns the CPU utilization of all threads except idle threads per period. A time slice counts
-- only until the end of the period in which it starts.
CREATE PERFETTO FUNCTION cpu_utilization_per_period(
  -- Length of a period, ns.
  interval LONG
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
  WHERE coalesce(t.is_idle, 0) = 0
));

-- CPU utilization of all threads except idle threads, per second.
CREATE PERFETTO TABLE cpu_utilization_per_second(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Fraction of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- CPU time as a number of fully used CPUs, from 0 to the number of CPUs.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_utilization_per_period(1000000000);

-- CPU cycles of all threads on all CPUs; one row.
CREATE PERFETTO TABLE cpu_cycles(
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the threads ran on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu;

-- Returns the CPU cycles of all threads in an interval; one row.
CREATE PERFETTO FUNCTION cpu_cycles_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the threads ran on a CPU, ns.
  runtime DURATION,
  -- Time that the threads ran while the system was not suspended, ns.
  awake_runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  _cpu_cycle_columns!(known_runtime),
  sum(awake_runtime) AS awake_runtime
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur));

-- Returns the CPU utilization of all threads except idle threads in an interval; one row.
CREATE PERFETTO FUNCTION cpu_utilization_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Time that the threads ran while the system was not suspended, ns.
  awake_dur LONG,
  -- `awake_dur` in percent of the time of all CPUs.
  awake_utilization DOUBLE,
  -- `awake_dur` in percent of the time of one CPU.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT _cpu_utilization_columns!($ts, $dur, 2)
FROM cpu_cycles_in_interval($ts, $dur);

-- CPU cycles of all threads on a CPU.
CREATE PERFETTO TABLE cpu_cycles_per_cpu(
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id),
  -- CPU number on its machine.
  cpu LONG,
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the threads ran on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  ucpu,
  cpu,
  _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu
GROUP BY ucpu, cpu;

-- Returns the CPU cycles of all threads on each CPU in an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_cpu_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id),
  -- CPU number on its machine; NULL where its frequency is unknown.
  cpu LONG,
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the threads ran on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  ucpu,
  max(cpu) AS cpu,
  _cpu_cycle_columns!(known_runtime)
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
GROUP BY ucpu;
