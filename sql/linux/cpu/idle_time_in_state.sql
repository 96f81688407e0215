-- Time of CPUs in each idle state, from counters of the system.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Time that a CPU spent in an idle state between two readings of the counters.
CREATE PERFETTO TABLE linux_per_cpu_idle_time_in_state_counters(
  -- Time of the later reading, ns in trace time.
  ts TIMESTAMP,
  -- Machine; join with `machine` on `id`.
  machine_id LONG,
  -- Idle state; `C0` when not idle.
  state STRING,
  -- CPU number on its machine.
  cpu LONG,
  -- Time in the state, in percent of the time between the readings.
  idle_percentage DOUBLE,
  -- Time in the state between the readings, in µs.
  total_residency DOUBLE,
  -- Time between the readings, in µs.
  time_slice LONG
) AS
WITH
  readings AS (
    SELECT
      c.ts, t.machine_id, c.track_id, c.value, state.string_value AS state, cpu.int_value AS cpu
    FROM counter AS c
    JOIN track AS t ON t.id = c.track_id
    LEFT JOIN args AS state
      ON state.arg_set_id = t.dimension_arg_set_id AND state.key = 'state'
    LEFT JOIN args AS cpu ON cpu.arg_set_id = t.dimension_arg_set_id AND cpu.key = 'cpu'
    WHERE t.type = 'cpu_idle_state'
  ),
  slept AS (
    SELECT
      ts, machine_id, state, cpu,
      value - lag(value) OVER earlier AS residency,
      (ts - lag(ts) OVER earlier) / 1000 AS time_slice
    FROM readings
    WINDOW earlier AS (PARTITION BY track_id ORDER BY ts)
  ),
  awake AS (
    SELECT ts, machine_id, cpu, time_slice, time_slice - sum(residency) AS residency
    FROM slept
    WHERE time_slice IS NOT NULL
    GROUP BY ts, machine_id, cpu, time_slice
  )
SELECT
  ts, machine_id, state, cpu,
  CASE WHEN residency > time_slice THEN 100.0 ELSE residency / time_slice * 100 END
    AS idle_percentage,
  residency AS total_residency,
  time_slice
FROM slept
WHERE time_slice IS NOT NULL
UNION ALL
SELECT
  ts, machine_id, 'C0', cpu,
  CASE WHEN residency < 0 THEN 0.0 ELSE residency / time_slice * 100 END,
  CASE WHEN residency < 0 THEN 0.0 ELSE residency END,
  time_slice
FROM awake;

-- Total time that the CPUs of a machine spent in an idle state between two readings of the
-- counters.
CREATE PERFETTO TABLE linux_cpu_idle_time_in_state_counters(
  -- Time of the later reading, ns in trace time.
  ts TIMESTAMP,
  -- Machine; join with `machine` on `id`.
  machine_id LONG,
  -- Idle state; `C0` when not idle.
  state STRING,
  -- Time in the state, in percent of `time_slice`.
  idle_percentage DOUBLE,
  -- Total time in the state between the readings, in µs.
  total_residency DOUBLE,
  -- Time between the readings summed over all CPUs, in µs.
  time_slice LONG
) AS
SELECT
  ts, machine_id, state,
  CASE
    WHEN sum(total_residency) > sum(time_slice) THEN 100.0
    ELSE sum(total_residency) / sum(time_slice) * 100
  END AS idle_percentage,
  sum(total_residency) AS total_residency,
  sum(time_slice) AS time_slice
FROM linux_per_cpu_idle_time_in_state_counters
GROUP BY ts, machine_id, state;
