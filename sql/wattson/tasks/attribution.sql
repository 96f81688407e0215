-- Power by thread, and power of the GPU by app.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_active_regions;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_tasks;
INCLUDE PERFETTO MODULE wattson.tasks.task_slices;
INCLUDE PERFETTO MODULE wattson.ui.continuous_estimates;
INCLUDE PERFETTO MODULE wattson.utils;

-- A period with constant power of a CPU.
CREATE PERFETTO TABLE _unioned_wattson_estimates_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU; -1 for the DSU (the shared unit of an Arm CPU cluster) with what belongs to it.
  cpu LONG,
  -- Power, mW.
  estimated_mw DOUBLE
) AS
WITH all_cpus AS (
  SELECT ts, dur, cpu, cpu0_mw AS estimated_mw FROM _system_state_cpu0_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu1_mw AS estimated_mw FROM _system_state_cpu1_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu2_mw AS estimated_mw FROM _system_state_cpu2_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu3_mw AS estimated_mw FROM _system_state_cpu3_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu4_mw AS estimated_mw FROM _system_state_cpu4_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu5_mw AS estimated_mw FROM _system_state_cpu5_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu6_mw AS estimated_mw FROM _system_state_cpu6_mw
  UNION ALL
  SELECT ts, dur, cpu, cpu7_mw AS estimated_mw FROM _system_state_cpu7_mw
)
SELECT ts, dur, cpu, estimated_mw
FROM all_cpus
WHERE cpu IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, -1, dsu_scu_mw
FROM _system_state_dsu_scu_mw;

-- CPUs with estimates of power.
CREATE PERFETTO TABLE _wattson_cpus(
  -- CPU.
  cpu LONG
) AS
SELECT DISTINCT cpu
FROM _unioned_wattson_estimates_mw
WHERE cpu >= 0;

-- Power of CPUs, with threads and interrupts.
CREATE VIRTUAL TABLE _power_and_tasks USING SPAN_JOIN(
  _unioned_wattson_estimates_mw PARTITIONED cpu,
  _wattson_task_slices PARTITIONED cpu
);

-- Power of a CPU while it ran a thread or handled an interrupt.
CREATE PERFETTO TABLE _estimates_w_tasks_attribution(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Power, mW.
  estimated_mw DOUBLE,
  -- Name of the thread. For an interrupt, this and the other names are its name.
  thread_name STRING,
  -- Name of the process.
  process_name STRING,
  -- Name of the package.
  package_name STRING,
  -- Kernel id of the thread. For an interrupt, this and the other ids are a number that depends on
  -- its name.
  tid LONG,
  -- Kernel id of the process.
  pid LONG,
  -- User id of the package.
  uid LONG,
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Process; join with `process` on `upid`.
  upid LONG
) AS
SELECT
  ts, dur, cpu, estimated_mw,
  thread_name, process_name, package_name,
  tid, pid, uid, utid, upid
FROM _power_and_tasks;

-- Power of the GPU, with the number of user ids that it works for.
CREATE VIRTUAL TABLE _gpu_power_and_task_count USING SPAN_JOIN(
  _gpu_active_task_count,
  _gpu_estimates_mw
);

-- Power of the GPU for each of the user ids that it works for at a time: equal shares.
CREATE PERFETTO TABLE _gpu_power_of_each_task AS
SELECT ts, dur, gpu_mw / active_tasks AS share_mw
FROM _gpu_power_and_task_count
WHERE active_tasks > 0;

-- Power of the GPU by the app that it worked for.
CREATE PERFETTO TABLE _gpu_estimates_w_tasks_attribution(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- -2, which stands for the GPU.
  cpu LONG,
  -- User id; -1 for none.
  uid LONG,
  -- Power while the GPU worked for the user id, mW.
  estimated_mw DOUBLE,
  -- Power while the GPU did not work, mW.
  idle_mw DOUBLE,
  -- Package of the user id, of several the first in the alphabet; `GPU Idle` for none.
  package_name STRING
) AS
WITH power AS (
  SELECT part.ts, part.dur, work.uid, each.share_mw AS estimated_mw, 0.0 AS idle_mw
  FROM _interval_intersect!(
    (_ii_subquery!(_gpu_tasks), _ii_subquery!(_gpu_power_of_each_task)),
    ()
  ) AS part
  JOIN _gpu_tasks AS work ON work._auto_id = part.id_0
  JOIN _gpu_power_of_each_task AS each ON each._auto_id = part.id_1
  UNION ALL
  SELECT ts, dur, uid, 0.0, estimated_mw
  FROM _gpu_gap_attribution
)
SELECT
  power.ts,
  power.dur,
  -2 AS cpu,
  power.uid,
  power.estimated_mw,
  power.idle_mw,
  CASE power.uid WHEN -1 THEN 'GPU Idle' ELSE package.package_name END AS package_name
FROM power
LEFT JOIN (
  SELECT uid, min(package_name) AS package_name
  FROM package_list
  GROUP BY uid
) AS package ON package.uid = power.uid;
