-- Power of CPUs, and of the DSU (the shared unit of an Arm CPU cluster) with what belongs to it.

INCLUDE PERFETTO MODULE wattson.cpu.pivot;
INCLUDE PERFETTO MODULE wattson.curves.utils;

-- Power of each CPU in the different states; `static` is the static power of its cluster if this is
-- the first CPU and any of them is on.
CREATE PERFETTO TABLE _cpu_power_of_configs AS
SELECT
  state.config_hash,
  state.cpu,
  state.freq,
  state.dep_policy,
  state.dep_freq,
  coalesce(state.curve_value, curve.curve_value) AS mw,
  CASE WHEN state.cpu = state.policy AND state.is_cluster_on = 1 THEN curve.static ELSE 0.0 END
    AS static
FROM _cpus_with_dependencies AS state
LEFT JOIN _curves_2d_of_policy AS curve
  ON
    curve.policy = state.policy
    AND curve.freq_khz = state.freq
    AND curve.dep_policy = state.dep_policy
    AND curve.dep_freq = state.dep_freq
    AND curve.idle = state.idle;

-- Energy of accesses to the L3 cache, and power of the interconnect, in the different states. Both
-- depend on the frequencies of CPU 0.
CREATE PERFETTO TABLE _shared_power_of_configs AS
SELECT state.config_hash, cache.l3_hit, cache.l3_miss, bus.curve_value AS interconnect_mw
FROM _cpu_power_of_configs AS state
LEFT JOIN _filtered_curves_l3 AS cache
  ON
    cache.freq_khz = state.freq
    AND cache.dep_policy = state.dep_policy
    AND cache.dep_freq = state.dep_freq
LEFT JOIN _filtered_curves_interconnect AS bus
  ON
    bus.policy = 0
    AND bus.freq_khz = state.freq
    AND bus.dep_policy = state.dep_policy
    AND bus.dep_freq = state.dep_freq
WHERE state.cpu = 0;

-- Power in the different states, in one row each.
CREATE PERFETTO TABLE _power_of_configs AS
SELECT
  config_hash,
  max(mw) FILTER (WHERE cpu = 0) AS cpu0_mw,
  max(mw) FILTER (WHERE cpu = 1) AS cpu1_mw,
  max(mw) FILTER (WHERE cpu = 2) AS cpu2_mw,
  max(mw) FILTER (WHERE cpu = 3) AS cpu3_mw,
  max(mw) FILTER (WHERE cpu = 4) AS cpu4_mw,
  max(mw) FILTER (WHERE cpu = 5) AS cpu5_mw,
  max(mw) FILTER (WHERE cpu = 6) AS cpu6_mw,
  max(mw) FILTER (WHERE cpu = 7) AS cpu7_mw,
  coalesce(sum(static), 0.0) AS static_mw
FROM _cpu_power_of_configs
GROUP BY config_hash;

-- A period with constant power of the CPUs: `cpu0_mw` to `cpu7_mw`, the power of each CPU in mW
-- (NULL without a curve), and `dsu_scu_mw`, the static power of the clusters with that of the L3
-- cache and the interconnect. The power of a suspended device is 0.
CREATE PERFETTO TABLE _cpu_estimates_mw AS
SELECT
  state.ts,
  state.dur,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu0_mw END AS cpu0_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu1_mw END AS cpu1_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu2_mw END AS cpu2_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu3_mw END AS cpu3_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu4_mw END AS cpu4_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu5_mw END AS cpu5_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu6_mw END AS cpu6_mw,
  CASE state.suspended WHEN 1 THEN 0.0 ELSE power.cpu7_mw END AS cpu7_mw,
  CASE state.suspended
    WHEN 1 THEN 0.0
    ELSE
      power.static_mw
      + state.static_1d
      + coalesce(shared.interconnect_mw, 0.0)
      + (
        coalesce(state.l3_hit_count * shared.l3_hit, 0.0)
        + coalesce(state.l3_miss_count * shared.l3_miss, 0.0)
      ) * 1000 / state.dur
  END AS dsu_scu_mw
FROM _w_independent_cpus_calc AS state
JOIN _power_of_configs AS power ON power.config_hash = state.config_hash
JOIN _shared_power_of_configs AS shared ON shared.config_hash = state.config_hash;
