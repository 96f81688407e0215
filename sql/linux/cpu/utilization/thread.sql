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
  sum(millicycles) AS millicycles,
  CAST(sum(millicycles) / 1e9 AS INT) AS megacycles,
  sum(runtime) AS runtime,
  min(min_freq) AS min_freq,
  max(max_freq) AS max_freq,
  sum(millicycles) / (sum(runtime) / 1000) AS avg_freq
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
  sum(dur * freq / 1000) AS millicycles,
  CAST(sum(dur * freq / 1000) / 1e9 AS INT) AS megacycles,
  sum(dur) AS runtime,
  sum(to_monotonic(ts + dur) - to_monotonic(ts)) AS awake_runtime,
  min(freq) AS min_freq,
  max(freq) AS max_freq,
  sum(dur * freq / 1000) / (sum(CASE WHEN freq IS NOT NULL THEN dur END) / 1000) AS avg_freq
FROM _cpu_freq_per_thread_in_interval($ts, $dur)
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
  t.upid, t.utid, t.name AS thread_name,
  c.awake_runtime AS awake_dur,
  round(
    c.awake_runtime * 100.0 / (to_monotonic($ts + $dur) - to_monotonic($ts))
      / (SELECT max(cpu) + 1 FROM cpu),
    6
  ) AS awake_utilization,
  round(c.awake_runtime * 100.0 / (to_monotonic($ts + $dur) - to_monotonic($ts)), 6)
    AS awake_unnormalized_utilization
FROM cpu_cycles_per_thread_in_interval($ts, $dur) AS c
JOIN thread AS t ON t.utid = c.utid;
