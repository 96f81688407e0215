-- Energy and average power by thread and by component, for periods that the caller chooses.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.attribution;
INCLUDE PERFETTO MODULE wattson.tasks.idle_transitions_attribution;
INCLUDE PERFETTO MODULE wattson.utils;

-- Sums up the power of threads. Output: `period_id`, `period_dur`, `utid`, `tid`, `pid`, `upid`,
-- `uid`, `thread_name`, `process_name`, `package_name`, `estimated_mws` (energy while the thread
-- ran), `estimated_mw` (the same as average power over the period), `idle_transitions_mws` (energy
-- of CPUs to leave and enter idle because of the thread) and `total_mws` (both energies).
CREATE PERFETTO MACRO _wattson_threads_aggregation(
  -- Power of threads: columns of `_estimates_w_tasks_attribution` and `period_id`.
  tasks_table TableOrSubquery,
  -- Periods with `ts`, `dur` and `period_id`.
  window_table TableOrSubquery,
  -- CPUs that count for leaving and entering idle: `cpu`.
  cpus_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __active AS (
      SELECT
        period_id, utid,
        max(tid) AS tid, max(pid) AS pid, max(upid) AS upid, max(uid) AS uid,
        max(thread_name) AS thread_name,
        max(process_name) AS process_name,
        max(package_name) AS package_name,
        sum(estimated_mw * dur) AS mw_ns
      FROM $tasks_table
      GROUP BY period_id, utid
    ),
    __transitions AS (
      SELECT __period.period_id, __cost.utid, sum(__cost.idle_cost_mws) AS mws
      FROM $window_table AS __period
      JOIN _filter_idle_attribution(__period.ts, __period.dur) AS __cost
      WHERE __cost.cpu IN (SELECT cpu FROM $cpus_table)
      GROUP BY __period.period_id, __cost.utid
    )
  SELECT
    __active.period_id,
    __period.dur AS period_dur,
    __active.utid,
    __active.tid,
    __active.pid,
    __active.upid,
    __active.uid,
    coalesce(__active.thread_name, 'Thread ' || __active.tid) AS thread_name,
    coalesce(__active.process_name, '') AS process_name,
    coalesce(__active.package_name, '') AS package_name,
    __active.mw_ns / 1e9 AS estimated_mws,
    __active.mw_ns / __period.dur AS estimated_mw,
    coalesce(__transitions.mws, 0.0) AS idle_transitions_mws,
    __active.mw_ns / 1e9 + coalesce(__transitions.mws, 0.0) AS total_mws
  FROM __active
  JOIN $window_table AS __period ON __period.period_id = __active.period_id
  LEFT JOIN __transitions
    ON __transitions.period_id = __active.period_id AND __transitions.utid = __active.utid
);

-- Sums up the power of all threads and interrupts in each period. Output: `period_id`, `period_dur`
-- in ns, `utid`, `tid`, `pid`, `thread_name`, `process_name`, `package_name`, `estimated_mws`
-- (energy while the thread ran), `estimated_mw` (the same as average power over the period),
-- `idle_transitions_mws` (energy of CPUs to leave and enter idle because of the thread; negative
-- for the idle thread) and `total_mws` (both energies).
CREATE PERFETTO MACRO wattson_threads_aggregation(
  -- Periods with `ts`, `dur` and `period_id`, such as the views of wattson.windows.
  window_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    period_id, period_dur, utid, tid, pid, thread_name, process_name, package_name,
    estimated_mws, estimated_mw, idle_transitions_mws, total_mws
  FROM _wattson_threads_aggregation!(
    (
      SELECT
        __part.dur, __part.id_1 AS period_id, __task.estimated_mw,
        __task.thread_name, __task.process_name, __task.package_name,
        __task.tid, __task.pid, __task.upid, __task.uid, __task.utid
      FROM _interval_intersect!(
        (
          _ii_subquery!(_estimates_w_tasks_attribution),
          (SELECT period_id AS id, ts, dur FROM $window_table)
        ),
        ()
      ) AS __part
      JOIN _estimates_w_tasks_attribution AS __task ON __task._auto_id = __part.id_0
    ),
    $window_table,
    _wattson_cpus
  )
);

-- Returns the energy and average power of all components in each period. Output: `period_id`,
-- `period_dur` in ns, `subsystem` (`CPU`, `GPU` or `TPU`), `breakdown_type` (`CORE`; `POLICY`, the
-- sum of a cluster; `DSU`, what CPUs share; `TOTAL`), `component_id` (number of the CPU or policy),
-- `parent_id` (policy of the CPU), `estimated_mw` and `estimated_mws`.
CREATE PERFETTO MACRO wattson_rails_aggregation(
  -- Periods with `ts`, `dur` and `period_id`, such as the views of wattson.windows.
  window_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __average AS (
      SELECT *
      FROM _wattson_base_components_avg_mw!($window_table)
    ),
    -- A row for each CPU, for the DSU (8), the GPU (9) and the TPU (10).
    __component AS (
      SELECT
        period_id,
        period_dur,
        __number.value AS __which,
        CASE __number.value
          WHEN 0 THEN cpu0_poli WHEN 1 THEN cpu1_poli WHEN 2 THEN cpu2_poli WHEN 3 THEN cpu3_poli
          WHEN 4 THEN cpu4_poli WHEN 5 THEN cpu5_poli WHEN 6 THEN cpu6_poli WHEN 7 THEN cpu7_poli
        END AS __policy,
        CASE __number.value
          WHEN 0 THEN cpu0_mw WHEN 1 THEN cpu1_mw WHEN 2 THEN cpu2_mw WHEN 3 THEN cpu3_mw
          WHEN 4 THEN cpu4_mw WHEN 5 THEN cpu5_mw WHEN 6 THEN cpu6_mw WHEN 7 THEN cpu7_mw
          WHEN 8 THEN dsu_scu_mw WHEN 9 THEN gpu_mw ELSE tpu_mw
        END AS __mw
      FROM __average
      CROSS JOIN generate_series(0, 10) AS __number
    ),
    __row AS (
      SELECT
        period_id, period_dur, 'CPU' AS subsystem, 'CORE' AS breakdown_type,
        __which AS component_id, __policy AS parent_id, __mw
      FROM __component
      WHERE __which < 8
      UNION ALL
      SELECT period_id, period_dur, 'CPU', 'POLICY', __policy, NULL, sum(__mw)
      FROM __component
      WHERE __which < 8 AND __mw IS NOT NULL
      GROUP BY period_id, period_dur, __policy
      UNION ALL
      SELECT
        period_id, period_dur,
        CASE __which WHEN 8 THEN 'CPU' WHEN 9 THEN 'GPU' ELSE 'TPU' END,
        CASE __which WHEN 8 THEN 'DSU' ELSE 'TOTAL' END,
        NULL, NULL, __mw
      FROM __component
      WHERE __which >= 8
      UNION ALL
      SELECT period_id, period_dur, 'CPU', 'TOTAL', NULL, NULL, sum(__mw)
      FROM __component
      WHERE __which <= 8
      GROUP BY period_id, period_dur
    )
  SELECT
    period_id, period_dur, subsystem, breakdown_type, component_id, parent_id,
    __mw AS estimated_mw,
    __mw * period_dur / 1e9 AS estimated_mws
  FROM __row
  WHERE __mw IS NOT NULL
);

-- Versions of the model, in one row.
CREATE PERFETTO VIEW wattson_metric_metadata(
  -- Version of the metric.
  metric_version LONG,
  -- Version of the power curves.
  power_model_version LONG,
  -- Whether the idle states of CPUs are derived from scheduling, because the trace has none.
  is_crude_estimate BOOL
) AS
SELECT
  4 AS metric_version,
  1 AS power_model_version,
  iif(EXISTS (SELECT 1 FROM _wattson_cpuidle_counters_exist), 0, 1) AS is_crude_estimate;
