-- Periods in which CPUs were offline, and periods in which the whole device was suspended.

INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Moments at which the work of taking a CPU offline or online moved to another CPU or back.
CREATE PERFETTO TABLE _hotplug_handovers AS
SELECT cpu, ts, is_elsewhere
FROM (
  SELECT
    cpu, ts, is_elsewhere,
    lag(is_elsewhere) OVER (PARTITION BY cpu ORDER BY ts, id) AS was_elsewhere
  FROM (
    SELECT
      slice.id,
      slice.ts,
      own.int_value AS cpu,
      iif(acting.int_value = own.int_value, 0, 1) AS is_elsewhere
    FROM slice
    JOIN track ON track.id = slice.track_id
    JOIN args AS own ON own.arg_set_id = track.dimension_arg_set_id AND own.key = 'cpu'
    JOIN args AS acting ON acting.arg_set_id = slice.arg_set_id AND acting.key = 'action_cpu'
    WHERE track.type = 'cpu_hotplug'
  )
)
WHERE was_elsewhere != is_elsewhere;

-- A period in which a CPU was online or offline. The periods of each CPU cover the trace. A CPU is
-- offline while another CPU does the work of its transition and until it takes the work back, if
-- that lasts for at least 100 µs.
CREATE PERFETTO TABLE _gapless_hotplug_slices(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Whether the CPU was offline.
  offline BOOL
) AS
WITH
  changes AS (
    SELECT cpu, trace_start() AS ts, 0 AS is_handover, 0 AS is_elsewhere
    FROM (SELECT cpu FROM _dev_cpu_policy_map UNION SELECT cpu FROM _hotplug_handovers)
    UNION ALL
    SELECT cpu, ts, 1, is_elsewhere
    FROM _hotplug_handovers
  ),
  periods AS (
    SELECT
      cpu, ts, is_elsewhere,
      lead(ts, 1, trace_end()) OVER (PARTITION BY cpu ORDER BY ts, is_handover) - ts AS dur
    FROM changes
  )
SELECT ts, dur, cpu, iif(is_elsewhere = 1 AND dur >= 100000, 1, 0) AS offline
FROM periods
ORDER BY cpu, ts;

-- A period in which the first machine was awake or suspended. The periods cover the trace.
CREATE PERFETTO TABLE _gapless_suspend_slices(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Whether the machine was suspended.
  suspended BOOL
) AS
SELECT ts, dur, iif(power_state = 'suspended', 1, 0) AS suspended
FROM android_suspend_state
WHERE machine_id = 0;
