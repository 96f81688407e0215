-- Idle states of CPUs over the whole trace.

INCLUDE PERFETTO MODULE wattson.device_infos;

-- One row if the trace has idle states of CPUs, else none.
CREATE PERFETTO VIEW _wattson_cpuidle_counters_exist(
  -- Track of idle states; join with `cpu_counter_track` on `id`.
  id JOINID(cpu_counter_track.id)
) AS
SELECT id
FROM cpu_counter_track
WHERE name = 'cpuidle'
ORDER BY id
LIMIT 1;

-- Idle states as the kernel recorded them.
CREATE PERFETTO VIEW _recorded_idle_states AS
SELECT track.cpu, counter.ts, counter.id AS sequence, CAST(counter.value AS BIGINT) AS state
FROM counter
JOIN cpu_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'cpuidle';

-- Time slices of the idle threads, with the end of the one before and the start of the next one.
CREATE PERFETTO VIEW _idle_thread_slices AS
SELECT
  cpu,
  ts,
  CASE WHEN dur > 0 THEN ts + dur END AS end_ts,
  lag(CASE WHEN dur > 0 THEN ts + dur END) OVER (PARTITION BY cpu ORDER BY ts) AS previous_end_ts,
  lead(ts) OVER (PARTITION BY cpu ORDER BY ts) AS next_ts
FROM sched
WHERE utid IN (SELECT utid FROM thread WHERE is_idle) AND dur != 0;

-- Idle states of a trace that has none: a CPU is in deepest idle while its idle thread runs. The
-- first time slice of the idle thread is left out, since it may have started before the trace.
CREATE PERFETTO VIEW _idle_states_of_threads AS
WITH changes AS (
  SELECT cpu, ts, 1 AS is_idle
  FROM _idle_thread_slices
  WHERE previous_end_ts != ts
  UNION ALL
  SELECT cpu, end_ts, 0
  FROM _idle_thread_slices
  WHERE end_ts IS NOT NULL AND next_ts IS DISTINCT FROM end_ts
)
SELECT
  changes.cpu,
  changes.ts,
  0 AS sequence,
  CASE changes.is_idle WHEN 1 THEN deepest.idle ELSE 4294967295 END AS state
FROM changes
CROSS JOIN _deepest_idle AS deepest
WHERE NOT EXISTS (SELECT 1 FROM _wattson_cpuidle_counters_exist);

-- A period in which a CPU of the recorded device was in one idle state. The periods of each CPU
-- cover the trace. A period outside of idle starts early by the time that the CPU took to leave
-- state 1, but not before the period in state 1 does.
CREATE PERFETTO TABLE _adjusted_deep_idle(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Idle state: a higher value is deeper; -1 when not idle; NULL before the first value.
  idle LONG
) AS
WITH
  reported AS (
    SELECT cpu, ts, sequence, state FROM _recorded_idle_states
    UNION ALL
    SELECT cpu, ts, sequence, state FROM _idle_states_of_threads
  ),
  with_previous AS (
    SELECT
      cpu, ts, sequence, state,
      lag(state) OVER own AS previous_state,
      lag(ts) OVER own AS previous_ts
    FROM reported
    WINDOW own AS (PARTITION BY cpu ORDER BY ts, sequence)
  ),
  woken AS (
    SELECT
      report.cpu,
      report.sequence,
      report.ts AS reported_ts,
      CASE
        WHEN report.previous_state = 1 AND report.state = 4294967295
          THEN max(report.previous_ts, report.ts - wakeup.offset_ns)
        ELSE report.ts
      END AS ts,
      report.state
    FROM with_previous AS report
    JOIN _device_cpu_deep_idle_offsets AS wakeup ON wakeup.cpu = report.cpu
    WHERE wakeup.device IN (SELECT name FROM _wattson_device)
  ),
  states AS (
    SELECT
      woken.cpu,
      woken.ts,
      lead(woken.ts, 1, trace_end())
        OVER (PARTITION BY woken.cpu ORDER BY woken.ts, woken.reported_ts, woken.sequence)
        AS end_ts,
      coalesce(renamed.override_idle, CASE woken.state WHEN 4294967295 THEN -1 ELSE woken.state END)
        AS idle
    FROM woken
    LEFT JOIN _idle_state_map_override AS renamed ON renamed.nominal_idle = woken.state
    -- States that the device is not known to have are left out.
    WHERE
      renamed.nominal_idle IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM _idle_state_map_override)
  ),
  periods AS (
    SELECT
      cpu.cpu,
      trace_start() AS ts,
      coalesce(min(states.ts), trace_end()) AS end_ts,
      CAST(NULL AS BIGINT) AS idle
    FROM _dev_cpu_policy_map AS cpu
    LEFT JOIN states ON states.cpu = cpu.cpu
    GROUP BY cpu.cpu
    UNION ALL
    SELECT cpu, ts, end_ts, idle
    FROM states
  )
SELECT ts, end_ts - ts AS dur, cpu, idle
FROM periods
WHERE end_ts > ts;
