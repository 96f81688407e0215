-- How busy threads kept CPUs.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- The share of CPU time that a thread took in each period. What it runs beyond the end of a period
-- in which it began to run counts up to that end only.
CREATE PERFETTO FUNCTION cpu_thread_utilization_per_period(
  -- How long a period is.
  interval LONG,
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- When the period begins.
  ts TIMESTAMP,
  -- The share of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- The same in CPUs, from 0 to their number.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM _cpu_avg_utilization_per_period!(
  $interval, (SELECT ts, ts_end FROM sched WHERE utid = $utid)
);

-- The share of CPU time that a thread took in each second.
CREATE PERFETTO FUNCTION cpu_thread_utilization_per_second(
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- When the period begins.
  ts TIMESTAMP,
  -- The share of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- The same in CPUs, from 0 to their number.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_thread_utilization_per_period(1000000000, $utid);

-- What a thread ran on all CPUs.
CREATE PERFETTO TABLE cpu_cycles_per_thread(
  -- The thread.
  utid JOINID(thread.id),
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long it ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  utid,
  _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu
GROUP BY utid;

-- What a thread ran within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- The thread.
  utid JOINID(thread.id),
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long it ran.
  runtime DURATION,
  -- How long it ran while the system was not suspended.
  awake_runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  utid,
  _cpu_cycle_columns!(known_runtime),
  sum(awake_runtime) AS awake_runtime
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
GROUP BY utid;

-- The share of CPU time that a thread took in an interval.
CREATE PERFETTO FUNCTION cpu_thread_utilization_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- Its process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- The thread's name.
  thread_name STRING,
  -- How long it ran while the system was not suspended.
  awake_dur LONG,
  -- How much of a hundred of the time of all CPUs that is.
  awake_utilization DOUBLE,
  -- How much of a hundred of the time of one CPU that is.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT
  thread.upid,
  utid,
  thread.name AS thread_name,
  _cpu_utilization_columns!($ts, $dur, 6)
FROM cpu_cycles_per_thread_in_interval($ts, $dur)
JOIN thread USING (utid);
