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
  t.upid,
  sum(millicycles) AS millicycles,
  CAST(sum(millicycles) / 1e9 AS INT) AS megacycles,
  sum(runtime) AS runtime,
  min(min_freq) AS min_freq,
  max(max_freq) AS max_freq,
  sum(millicycles) / (sum(runtime) / 1000) AS avg_freq
FROM cpu_cycles_per_thread_per_cpu AS c
JOIN thread AS t ON t.utid = c.utid
WHERE t.upid IS NOT NULL
GROUP BY t.upid;

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
  sum(dur * freq / 1000) AS millicycles,
  CAST(sum(dur * freq / 1000) / 1e9 AS INT) AS megacycles,
  sum(dur) AS runtime,
  sum(to_monotonic(ts + dur) - to_monotonic(ts)) AS awake_runtime,
  min(freq) AS min_freq,
  max(freq) AS max_freq,
  sum(dur * freq / 1000) / (sum(CASE WHEN freq IS NOT NULL THEN dur END) / 1000) AS avg_freq
FROM (
  SELECT f.ts, f.dur, f.freq, t.upid
  FROM _cpu_freq_per_thread_in_interval($ts, $dur) AS f
  JOIN thread AS t ON t.utid = f.utid
)
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
  p.upid, p.name AS process_name,
  c.awake_runtime AS awake_dur,
  round(
    c.awake_runtime * 100.0 / (to_monotonic($ts + $dur) - to_monotonic($ts))
      / (SELECT max(cpu) + 1 FROM cpu),
    6
  ) AS awake_utilization,
  round(c.awake_runtime * 100.0 / (to_monotonic($ts + $dur) - to_monotonic($ts)), 6)
    AS awake_unnormalized_utilization
FROM cpu_cycles_per_process_in_interval($ts, $dur) AS c
JOIN process AS p ON p.upid = c.upid;
