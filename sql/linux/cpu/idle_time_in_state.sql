-- How long CPUs slept how deeply, as the system adds it up.

-- How long a CPU was in a state between two readings.
CREATE PERFETTO TABLE linux_per_cpu_idle_time_in_state_counters(
  -- The later of the readings.
  ts TIMESTAMP,
  -- The machine.
  machine_id LONG,
  -- The state; `C0` for not sleeping at all.
  state STRING,
  -- The machine's number for the CPU.
  cpu LONG,
  -- How much of a hundred of the time it was in it.
  idle_percentage DOUBLE,
  -- For how long it was in it, in microseconds.
  total_residency DOUBLE,
  -- How long there was between the readings, in microseconds.
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

-- How long the CPUs of a machine were in a state between two readings.
CREATE PERFETTO TABLE linux_cpu_idle_time_in_state_counters(
  -- The later of the readings.
  ts TIMESTAMP,
  -- The machine.
  machine_id LONG,
  -- The state; `C0` for not sleeping at all.
  state STRING,
  -- How much of a hundred of the time they were in it.
  idle_percentage DOUBLE,
  -- For how long they were in it together, in microseconds.
  total_residency DOUBLE,
  -- How long there was between the readings, times the CPUs, in microseconds.
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
