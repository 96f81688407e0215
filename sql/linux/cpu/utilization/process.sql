-- How busy processes kept CPUs.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- The share of CPU time that a process took in each period. What a thread runs beyond the end of a
-- period in which it began to run counts up to that end only.
CREATE PERFETTO FUNCTION cpu_process_utilization_per_period(
  -- How long a period is.
  interval LONG,
  -- The process.
  upid JOINID(process.id)
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
  WHERE t.upid = $upid AND coalesce(t.is_idle, 0) = 0
));

-- The share of CPU time that a process took in each second.
CREATE PERFETTO FUNCTION cpu_process_utilization_per_second(
  -- The process.
  upid JOINID(process.id)
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
FROM cpu_process_utilization_per_period(1000000000, $upid);

-- What the threads of a process ran on all CPUs.
CREATE PERFETTO TABLE cpu_cycles_per_process(
  -- The process.
  upid JOINID(process.id),
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long its threads ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  upid,
  _cpu_cycle_columns!(runtime)
FROM cpu_cycles_per_thread_per_cpu
JOIN thread USING (utid)
WHERE upid IS NOT NULL
GROUP BY upid;

-- What the threads of a process ran within an interval; those of no process are one with NULL.
CREATE PERFETTO FUNCTION cpu_cycles_per_process_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id),
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long its threads ran.
  runtime DURATION,
  -- How long its threads ran while the system was not suspended.
  awake_runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
  avg_freq LONG
) AS
SELECT
  upid,
  _cpu_cycle_columns!(known_runtime),
  sum(awake_runtime) AS awake_runtime
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
JOIN thread USING (utid)
GROUP BY upid;

-- The share of CPU time that a process took in an interval.
CREATE PERFETTO FUNCTION cpu_process_utilization_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- How long its threads ran while the system was not suspended.
  awake_dur LONG,
  -- How much of a hundred of the time of all CPUs that is.
  awake_utilization DOUBLE,
  -- How much of a hundred of the time of one CPU that is.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT
  upid,
  process.name AS process_name,
  _cpu_utilization_columns!($ts, $dur, 6)
FROM cpu_cycles_per_process_in_interval($ts, $dur)
JOIN process USING (upid);
