-- Power of CPUs, GPU and TPU at the same time, and its average over periods.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.estimates;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.tpu.estimates;
INCLUDE PERFETTO MODULE wattson.utils;

-- Power of CPUs and GPU.
CREATE VIRTUAL TABLE _cpu_and_gpu_mw USING SPAN_OUTER_JOIN(_cpu_estimates_mw, _gpu_estimates_mw);

-- The same with the TPU.
CREATE VIRTUAL TABLE _cpu_gpu_and_tpu_mw USING SPAN_OUTER_JOIN(_cpu_and_gpu_mw, _tpu_estimates_mw);

-- A period with constant power of all components: `cpu0_mw` to `cpu7_mw` for the CPUs, `dsu_scu_mw`
-- for what CPUs share, `gpu_mw` and `tpu_mw`, all in mW. Power is NULL where it is unknown.
CREATE PERFETTO TABLE _system_state_mw AS
SELECT
  ts, dur,
  cpu0_mw, cpu1_mw, cpu2_mw, cpu3_mw, cpu4_mw, cpu5_mw, cpu6_mw, cpu7_mw,
  dsu_scu_mw, gpu_mw, tpu_mw
FROM _cpu_gpu_and_tpu_mw;

-- Frequency policies of the CPUs 0 to 7 in one row; NULL for a CPU that the device does not have.
CREATE PERFETTO VIEW _policies_of_cpus AS
SELECT
  max(policy) FILTER (WHERE cpu = 0) AS cpu0_poli,
  max(policy) FILTER (WHERE cpu = 1) AS cpu1_poli,
  max(policy) FILTER (WHERE cpu = 2) AS cpu2_poli,
  max(policy) FILTER (WHERE cpu = 3) AS cpu3_poli,
  max(policy) FILTER (WHERE cpu = 4) AS cpu4_poli,
  max(policy) FILTER (WHERE cpu = 5) AS cpu5_poli,
  max(policy) FILTER (WHERE cpu = 6) AS cpu6_poli,
  max(policy) FILTER (WHERE cpu = 7) AS cpu7_poli
FROM _dev_cpu_policy_map;

-- Returns the average of a component of power, weighted by time. Time in which the component is
-- unknown counts as 0.
CREATE PERFETTO MACRO _mean_mw(
  -- Power, mW.
  mw Expr,
  -- Time at that power, ns.
  dur Expr
)
RETURNS Expr AS
CAST(sum($mw * $dur) / nullif(sum($dur), 0) AS REAL);

-- Returns the average power of all components in each period: `cpu0_poli` to `cpu7_poli`, the
-- frequency policies; `cpu0_mw` to `cpu7_mw`, `dsu_scu_mw`, `gpu_mw` and `tpu_mw`, the power in mW;
-- `period_dur`, the part of the period for which power is estimated, in ns; and `period_id`.
CREATE PERFETTO MACRO _wattson_base_components_avg_mw(
  -- Periods with `ts`, `dur` and `period_id`.
  window_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT __cluster.*, __average.*
  FROM (
    SELECT
      _mean_mw!(__state.cpu0_mw, __part.dur) AS cpu0_mw,
      _mean_mw!(__state.cpu1_mw, __part.dur) AS cpu1_mw,
      _mean_mw!(__state.cpu2_mw, __part.dur) AS cpu2_mw,
      _mean_mw!(__state.cpu3_mw, __part.dur) AS cpu3_mw,
      _mean_mw!(__state.cpu4_mw, __part.dur) AS cpu4_mw,
      _mean_mw!(__state.cpu5_mw, __part.dur) AS cpu5_mw,
      _mean_mw!(__state.cpu6_mw, __part.dur) AS cpu6_mw,
      _mean_mw!(__state.cpu7_mw, __part.dur) AS cpu7_mw,
      _mean_mw!(__state.dsu_scu_mw, __part.dur) AS dsu_scu_mw,
      _mean_mw!(__state.gpu_mw, __part.dur) AS gpu_mw,
      _mean_mw!(__state.tpu_mw, __part.dur) AS tpu_mw,
      sum(__part.dur) AS period_dur,
      __part.id_0 AS period_id
    FROM _interval_intersect!(
      (
        (SELECT period_id AS id, ts, dur FROM $window_table),
        _ii_subquery!(_system_state_mw)
      ),
      ()
    ) AS __part
    JOIN _system_state_mw AS __state ON __state._auto_id = __part.id_1
    GROUP BY __part.id_0
  ) AS __average
  CROSS JOIN _policies_of_cpus AS __cluster
);
