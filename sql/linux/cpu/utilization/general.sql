-- How busy CPUs were, in parts for the modules beside this one.

INCLUDE PERFETTO MODULE linux.cpu.frequency;

-- The shares of periods that something ran: `ts` of the period, which is a multiple of its
-- length, `utilization`, of all CPUs, and `unnormalized_utilization`, of one. What runs beyond the
-- end of the period it began in counts up to that end and not in the next. Periods in which
-- nothing began are left out; the first and the last lie in the trace only in part.
CREATE PERFETTO MACRO _cpu_avg_utilization_per_period(
  -- How long a period is.
  interval Expr,
  -- What ran: `ts` and `ts_end`, as `sched` has them.
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

-- What ran on CPUs, other than their idle threads.
CREATE PERFETTO VIEW _busy_sched AS
SELECT s.ts, s.dur, s.utid, s.ucpu
FROM sched AS s
JOIN thread AS t ON t.utid = s.utid
WHERE s.dur != -1 AND coalesce(t.is_idle, 0) = 0;

-- What frequency CPUs had.
CREATE PERFETTO VIEW _cpu_freq_for_metrics AS
SELECT id AS counter_id, ts, dur, cpu, ucpu, freq
FROM cpu_frequency_counters
WHERE freq IS NOT NULL;

CREATE VIRTUAL TABLE _busy_sched_with_frequency USING SPAN_LEFT_JOIN(
  _busy_sched PARTITIONED ucpu,
  _cpu_freq_for_metrics PARTITIONED ucpu
);

-- A stretch of time in which a thread ran on a CPU of one frequency, NULL where that is unknown.
CREATE PERFETTO TABLE _cpu_freq_per_thread AS
SELECT
  row_number() OVER (ORDER BY ucpu, ts) - 1 AS id, ts, dur, ucpu, cpu, utid, freq, counter_id
FROM _busy_sched_with_frequency;

-- The same within an interval only.
CREATE PERFETTO FUNCTION _cpu_freq_per_thread_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- Where the stretch begins, or the interval does.
  ts TIMESTAMP,
  -- How long it is within the interval.
  dur DURATION,
  -- The CPU, unique over machines.
  ucpu LONG,
  -- The machine's number for the CPU, where the frequency is known.
  cpu LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- The frequency in kHz.
  freq LONG
) AS
SELECT
  max(ts, $ts) AS ts,
  min(ts + dur, $ts + $dur) - max(ts, $ts) AS dur,
  ucpu, cpu, utid, freq
FROM _cpu_freq_per_thread
WHERE ts < $ts + $dur AND ts + dur > $ts;

-- What stretches of running add to the columns of cycles below: `millicycles`, `runtime`,
-- `known_runtime`, `awake_runtime`, `min_freq` and `max_freq`, beside `utid`, `ucpu` and `cpu`.
CREATE PERFETTO MACRO _cpu_cycles_of_stretches(
  -- The stretches, as `_cpu_freq_per_thread` has them.
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

-- The columns of cycles that all these modules give, of rows that are grouped.
CREATE PERFETTO MACRO _cpu_cycle_columns(
  -- The time over which the frequency is averaged: a column of the rows.
  averaged_over ColumnName
)
RETURNS _ProjectionFragment AS
sum(millicycles) AS millicycles,
CAST(sum(millicycles) / 1e9 AS INT) AS megacycles,
sum(runtime) AS runtime,
min(min_freq) AS min_freq,
max(max_freq) AS max_freq,
sum(millicycles) / (sum($averaged_over) / 1000) AS avg_freq;

-- The columns that tell how much of an interval something ran, of rows with its `awake_runtime`.
CREATE PERFETTO MACRO _cpu_utilization_columns(
  -- Where the interval begins.
  ts Expr,
  -- How long it is.
  dur Expr,
  -- To how many digits shares are rounded.
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
