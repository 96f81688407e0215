-- Energy that CPUs consume to leave and to enter idle, by the thread that woke them.

INCLUDE PERFETTO MODULE wattson.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.task_slices;

-- Threads and interrupts in the periods in which a CPU was not idle.
CREATE VIRTUAL TABLE _tasks_of_idle_exits USING SPAN_JOIN(
  _wattson_task_slices PARTITIONED cpu,
  _idle_exits PARTITIONED cpu
);

-- Spans of the idle thread in which a CPU left or entered idle, with the first other thread that
-- ran then. The CPU leaves idle in the first span of the idle thread. It enters idle in the last
-- one, for which that thread is the cause only if no other thread ran in between.
CREATE PERFETTO TABLE _idle_transitions AS
WITH
  spans AS (
    SELECT
      ts, dur, cpu, utid, upid, uid, group_id, is_idle_thread,
      row_number() OVER (PARTITION BY group_id, is_idle_thread ORDER BY ts) AS nth,
      row_number() OVER (PARTITION BY group_id, is_idle_thread ORDER BY ts DESC) AS nth_last
    FROM (
      SELECT
        ts, dur, cpu, utid, upid, uid, group_id,
        iif(utid IN (SELECT utid FROM thread WHERE is_idle), 1, 0) AS is_idle_thread
      FROM _tasks_of_idle_exits
    )
  ),
  causes AS (
    SELECT group_id, ts + dur AS end_ts, utid, upid, uid
    FROM spans
    WHERE is_idle_thread = 0 AND nth = 1
  )
SELECT spans.ts, spans.dur, spans.cpu, causes.utid, causes.upid, causes.uid
FROM spans
JOIN causes ON causes.group_id = spans.group_id
WHERE
  spans.is_idle_thread = 1
  AND (spans.nth = 1 OR spans.nth_last = 1 AND spans.ts = causes.end_ts);

-- These spans with the power of all components.
CREATE VIRTUAL TABLE _idle_transitions_with_power USING SPAN_JOIN(
  _idle_transitions PARTITIONED cpu,
  _system_state_mw
);

-- Power of the CPU in these spans.
CREATE PERFETTO TABLE _idle_transition_cost(
  -- Start of the span, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Thread that woke the CPU; join with `thread` on `utid`.
  utid LONG,
  -- Process of the thread; join with `process` on `upid`.
  upid LONG,
  -- User id of the package.
  uid LONG,
  -- Power of the CPU, mW.
  estimated_mw DOUBLE
) AS
SELECT
  ts, dur, cpu, utid, upid, uid,
  CASE cpu
    WHEN 0 THEN cpu0_mw
    WHEN 1 THEN cpu1_mw
    WHEN 2 THEN cpu2_mw
    WHEN 3 THEN cpu3_mw
    WHEN 4 THEN cpu4_mw
    WHEN 5 THEN cpu5_mw
    WHEN 6 THEN cpu6_mw
    WHEN 7 THEN cpu7_mw
    ELSE 0.0
  END AS estimated_mw
FROM _idle_transitions_with_power;

-- Returns the energy for leaving and entering idle in a period. It counts for the thread that woke
-- the CPU, and is taken off the idle thread: one row for each CPU has the negative sum.
CREATE PERFETTO FUNCTION _filter_idle_attribution(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the period, ns.
  dur LONG
)
RETURNS TABLE(
  -- Energy, mWs.
  idle_cost_mws DOUBLE,
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Process; join with `process` on `upid`.
  upid LONG,
  -- User id of the package.
  uid LONG,
  -- CPU.
  cpu LONG
) AS
WITH costs AS (
  SELECT
    estimated_mw * (min(ts + dur, $ts + $dur) - max(ts, $ts)) / 1e9 AS idle_cost_mws,
    utid, upid, uid, cpu
  FROM _idle_transition_cost
  WHERE ts < $ts + $dur AND ts + dur > $ts
)
SELECT idle_cost_mws, utid, upid, uid, cpu
FROM costs
UNION ALL
SELECT -sum(idle_cost_mws), 0, 0, 0, cpu
FROM costs
GROUP BY cpu;
