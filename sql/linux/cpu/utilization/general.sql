-- Shared macros and tables of the CPU utilization modules.

INCLUDE PERFETTO MODULE linux.cpu.frequency;

-- Returns the CPU utilization per period: `ts` of the period (a multiple of its length),
-- `utilization` of all CPUs and `unnormalized_utilization` of one CPU. A time slice counts only
-- until the end of the period in which it starts. Periods without the start of a time slice are
-- left out. The first and the last period are only partly in the trace.
CREATE PERFETTO MACRO _cpu_avg_utilization_per_period(
  -- Length of a period, ns.
  interval Expr,
  -- Time slices with `ts` and `ts_end`, as in `sched`.
  sched_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __period AS ts,
    sum(__ran) * 1.0 / ($interval * (SELECT max(cpu) + 1 FROM sched)) AS utilization,
    sum(__ran) * 1.0 / $interval AS unnormalized_utilization
  FROM (
    SELECT
      ts - ts % $interval AS __period,
      min(ts_end - ts, $interval - ts % $interval) AS __ran
    FROM $sched_table
  )
  GROUP BY __period
  ORDER BY __period
);

-- Time slices of threads other than idle threads.
CREATE PERFETTO VIEW _busy_sched AS
SELECT s.ts, s.dur, s.utid, s.ucpu
FROM sched AS s
JOIN thread AS t ON t.utid = s.utid
WHERE s.dur != -1 AND coalesce(t.is_idle, 0) = 0;

-- CPU frequencies.
CREATE PERFETTO VIEW _cpu_freq_for_metrics AS
SELECT id AS counter_id, ts, dur, cpu, ucpu, freq
FROM cpu_frequency_counters
WHERE freq IS NOT NULL;

CREATE VIRTUAL TABLE _busy_sched_with_frequency USING SPAN_LEFT_JOIN(
  _busy_sched PARTITIONED ucpu,
  _cpu_freq_for_metrics PARTITIONED ucpu
);

-- A span in which a thread ran on a CPU at one frequency; `freq` is NULL where unknown.
CREATE PERFETTO TABLE _cpu_freq_per_thread AS
SELECT
  row_number() OVER (ORDER BY ucpu, ts) - 1 AS id, ts, dur, ucpu, cpu, utid, freq, counter_id
FROM _busy_sched_with_frequency;

-- Returns the rows of `_cpu_freq_per_thread` clipped to an interval.
CREATE PERFETTO FUNCTION _cpu_freq_per_thread_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Start of the span within the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the span within the interval, ns.
  dur DURATION,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu LONG,
  -- CPU number on its machine; NULL where the frequency is unknown.
  cpu LONG,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU frequency in kHz; NULL where unknown.
  freq LONG
) AS
SELECT
  max(ts, $ts) AS ts,
  min(ts + dur, $ts + $dur) - max(ts, $ts) AS dur,
  ucpu, cpu, utid, freq
FROM _cpu_freq_per_thread
WHERE ts < $ts + $dur AND ts + dur > $ts;

-- Returns the inputs of `_cpu_cycle_columns!` for spans: `millicycles`, `runtime`, `known_runtime`,
-- `awake_runtime`, `min_freq` and `max_freq`, with `utid`, `ucpu` and `cpu`.
CREATE PERFETTO MACRO _cpu_cycles_of_stretches(
  -- Spans with the columns of `_cpu_freq_per_thread`.
  stretches TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    utid,
    ucpu,
    cpu,
    dur * freq / 1000 AS millicycles,
    dur AS runtime,
    CASE WHEN freq IS NOT NULL THEN dur END AS known_runtime,
    to_monotonic(ts + dur) - to_monotonic(ts) AS awake_runtime,
    freq AS min_freq,
    freq AS max_freq
  FROM $stretches
);

-- Returns the CPU cycle columns of the utilization modules, for grouped rows.
CREATE PERFETTO MACRO _cpu_cycle_columns(
  -- Column with the time over which the frequency is averaged.
  averaged_over ColumnName
)
RETURNS _ProjectionFragment AS
sum(millicycles) AS millicycles,
CAST(sum(millicycles) / 1e9 AS INT) AS megacycles,
sum(runtime) AS runtime,
min(min_freq) AS min_freq,
max(max_freq) AS max_freq,
sum(millicycles) / (sum($averaged_over) / 1000) AS avg_freq;

-- Returns the utilization columns of an interval, for rows with `awake_runtime`.
CREATE PERFETTO MACRO _cpu_utilization_columns(
  -- Start of the interval, ns in trace time.
  ts Expr,
  -- Duration, ns.
  dur Expr,
  -- Number of digits to round to.
  digits Expr
)
RETURNS _ProjectionFragment AS
awake_runtime AS awake_dur,
round(
  awake_runtime * 100.0 / (to_monotonic($ts + $dur) - to_monotonic($ts))
    / (SELECT max(cpu) + 1 FROM cpu),
  $digits
) AS awake_utilization,
round(awake_runtime * 100.0 / (to_monotonic($ts + $dur) - to_monotonic($ts)), $digits)
  AS awake_unnormalized_utilization;
