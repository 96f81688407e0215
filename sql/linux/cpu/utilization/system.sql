-- How busy the CPUs of the system were.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- The share of CPU time that anything but idle threads took in each period. What a thread runs
-- beyond the end of a period in which it began to run counts up to that end only.
CREATE PERFETTO FUNCTION cpu_utilization_per_period(
  -- How long a period is.
  interval LONG
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
FROM _cpu_avg_utilization_per_period!($interval, (
  SELECT s.ts, s.ts_end
  FROM sched AS s
  JOIN thread AS t ON t.utid = s.utid
  WHERE coalesce(t.is_idle, 0) = 0
));

-- The share of CPU time that anything but idle threads took in each second.
CREATE PERFETTO TABLE cpu_utilization_per_second(
  -- When the period begins.
  ts TIMESTAMP,
  -- The share of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- The same in CPUs, from 0 to their number.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_utilization_per_period(1000000000);

-- What all threads ran on all CPUs; one row.
CREATE PERFETTO TABLE cpu_cycles(
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long they ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu;

-- What all threads ran within an interval; one row.
CREATE PERFETTO FUNCTION cpu_cycles_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long they ran.
  runtime DURATION,
  -- How long they ran while the system was not suspended.
  awake_runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  _cpu_cycle_columns!(known_runtime),
  sum(awake_runtime) AS awake_runtime
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur));

-- The share of CPU time that anything but idle threads took in an interval; one row.
CREATE PERFETTO FUNCTION cpu_utilization_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- How long they ran while the system was not suspended.
  awake_dur LONG,
  -- How much of a hundred of the time of all CPUs that is.
  awake_utilization DOUBLE,
  -- How much of a hundred of the time of one CPU that is.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT _cpu_utilization_columns!($ts, $dur, 2)
FROM cpu_cycles_in_interval($ts, $dur);

-- What all threads ran on a CPU.
CREATE PERFETTO TABLE cpu_cycles_per_cpu(
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id),
  -- The machine's number for the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long they ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  ucpu,
  cpu,
  _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu
GROUP BY ucpu, cpu;

-- What all threads ran on a CPU within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_cpu_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id),
  -- The machine's number for the CPU, where its frequency is known.
  cpu LONG,
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long they ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  ucpu,
  max(cpu) AS cpu,
  _cpu_cycle_columns!(known_runtime)
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
GROUP BY ucpu;
