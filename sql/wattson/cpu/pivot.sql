-- States of all CPUs at the same time, and the frequencies that the power of each CPU depends on.
-- Wide tables have columns for the CPUs 0 to 7.

INCLUDE PERFETTO MODULE intervals.self_intersect;
INCLUDE PERFETTO MODULE wattson.cpu.arm_dsu;
INCLUDE PERFETTO MODULE wattson.cpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.cpu.hotplug;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- States of the CPUs 0 to 7. A CPU that the device does not have is idle for the whole trace.
CREATE PERFETTO TABLE _states_of_cpus AS
SELECT
  state.ts,
  state.dur,
  state.cpu,
  cluster.policy,
  coalesce(state.freq, 0) AS freq,
  coalesce(state.idle, deepest.idle) AS idle,
  state.curve_value,
  -- Curves repeat the static power of a cluster for each of its CPUs; the first one keeps it.
  CASE WHEN state.cpu = cluster.policy THEN coalesce(state.static, 0.0) ELSE 0.0 END AS static
FROM _idle_freq_materialized AS state
JOIN _dev_cpu_policy_map AS cluster ON cluster.cpu = state.cpu
CROSS JOIN _deepest_idle AS deepest
UNION ALL
SELECT trace_start(), trace_dur(), number.value, -1, 0, deepest.idle, 0.0, 0.0
FROM generate_series(0, 7) AS number
CROSS JOIN _deepest_idle AS deepest
WHERE number.value NOT IN (SELECT cpu FROM _dev_cpu_policy_map);

-- Segments of time in which no CPU changes, with a row for each CPU.
CREATE PERFETTO TABLE _cpu_segments AS
SELECT
  part.group_id AS segment,
  part.ts,
  part.dur,
  state.cpu,
  state.policy,
  state.freq,
  state.idle,
  state.curve_value,
  state.static,
  -- Whether any CPU of the cluster is on.
  max(iif(state.idle != deepest.idle, 1, 0)) OVER (PARTITION BY part.group_id, state.policy)
    AS is_cluster_on
FROM _interval_self_intersect!((
  SELECT _auto_id AS id, ts, dur FROM _states_of_cpus
)) AS part
JOIN _states_of_cpus AS state ON state._auto_id = part.id
CROSS JOIN _deepest_idle AS deepest
WHERE part.interval_ends_at_ts = 0 AND part.dur > 0;

-- The same segments in one row each.
CREATE PERFETTO TABLE _system_segments AS
SELECT
  ts,
  dur,
  segment,
  max(freq) FILTER (WHERE cpu = 0) AS freq_0,
  max(idle) FILTER (WHERE cpu = 0) AS idle_0,
  max(curve_value) FILTER (WHERE cpu = 0) AS cpu0_curve,
  max(freq) FILTER (WHERE cpu = 1) AS freq_1,
  max(idle) FILTER (WHERE cpu = 1) AS idle_1,
  max(curve_value) FILTER (WHERE cpu = 1) AS cpu1_curve,
  max(freq) FILTER (WHERE cpu = 2) AS freq_2,
  max(idle) FILTER (WHERE cpu = 2) AS idle_2,
  max(curve_value) FILTER (WHERE cpu = 2) AS cpu2_curve,
  max(freq) FILTER (WHERE cpu = 3) AS freq_3,
  max(idle) FILTER (WHERE cpu = 3) AS idle_3,
  max(curve_value) FILTER (WHERE cpu = 3) AS cpu3_curve,
  max(freq) FILTER (WHERE cpu = 4) AS freq_4,
  max(idle) FILTER (WHERE cpu = 4) AS idle_4,
  max(curve_value) FILTER (WHERE cpu = 4) AS cpu4_curve,
  max(freq) FILTER (WHERE cpu = 5) AS freq_5,
  max(idle) FILTER (WHERE cpu = 5) AS idle_5,
  max(curve_value) FILTER (WHERE cpu = 5) AS cpu5_curve,
  max(freq) FILTER (WHERE cpu = 6) AS freq_6,
  max(idle) FILTER (WHERE cpu = 6) AS idle_6,
  max(curve_value) FILTER (WHERE cpu = 6) AS cpu6_curve,
  max(freq) FILTER (WHERE cpu = 7) AS freq_7,
  max(idle) FILTER (WHERE cpu = 7) AS idle_7,
  max(curve_value) FILTER (WHERE cpu = 7) AS cpu7_curve,
  coalesce(sum(1 << cpu) FILTER (WHERE is_cluster_on = 1), 0) AS policy_cpus_on_mask,
  coalesce(sum(static) FILTER (WHERE is_cluster_on = 1), 0.0) AS static_1d
FROM _cpu_segments
GROUP BY segment, ts, dur
HAVING count(*) = 8;

-- Segments of time in which neither a CPU nor the DSU changes.
CREATE VIRTUAL TABLE _segments_with_dsu USING SPAN_JOIN(
  _system_segments,
  _wattson_dsu_frequency
);

-- The same with the rates of accesses to the L3 cache.
CREATE VIRTUAL TABLE _segments_with_l3 USING SPAN_JOIN(
  _segments_with_dsu,
  _arm_l3_rates
);

-- The same with the suspensions of the device.
CREATE VIRTUAL TABLE _segments_with_suspend USING SPAN_JOIN(
  _segments_with_l3,
  _gapless_suspend_slices
);

-- A period in which nothing changes that power depends on. Equal states have the same
-- `config_hash`.
CREATE PERFETTO TABLE _system_states AS
SELECT
  *,
  hash(
    freq_0, idle_0, cpu0_curve,
    freq_1, idle_1, cpu1_curve,
    freq_2, idle_2, cpu2_curve,
    freq_3, idle_3, cpu3_curve,
    freq_4, idle_4, cpu4_curve,
    freq_5, idle_5, cpu5_curve,
    freq_6, idle_6, cpu6_curve,
    freq_7, idle_7, cpu7_curve,
    dsu_freq, suspended, policy_cpus_on_mask, static_1d
  ) AS config_hash
FROM _segments_with_suspend
WHERE dur > 0;

-- A period in which nothing changes that power depends on, with the curves that depend on one
-- cluster only: `policy_cpus_on_mask` has a bit for each CPU of a cluster that is on, and
-- `static_1d` is the static power of these clusters in mW.
CREATE PERFETTO VIEW _w_independent_cpus_calc AS
SELECT
  ts,
  dur,
  CAST(l3_hit_rate * dur AS BIGINT) AS l3_hit_count,
  CAST(l3_miss_rate * dur AS BIGINT) AS l3_miss_count,
  config_hash,
  freq_0, idle_0,
  freq_1, idle_1,
  freq_2, idle_2,
  freq_3, idle_3,
  freq_4, idle_4,
  freq_5, idle_5,
  freq_6, idle_6,
  freq_7, idle_7,
  cpu0_curve, cpu1_curve, cpu2_curve, cpu3_curve, cpu4_curve, cpu5_curve, cpu6_curve, cpu7_curve,
  suspended,
  dsu_freq,
  policy_cpus_on_mask,
  static_1d
FROM _system_states;

-- The different states.
CREATE PERFETTO TABLE _system_configs AS
SELECT
  config_hash,
  min(segment) AS segment,
  max(dsu_freq) AS dsu_freq,
  max(suspended) AS suspended
FROM _system_states
GROUP BY config_hash;

-- CPUs in the different states.
CREATE PERFETTO TABLE _cpus_of_configs AS
SELECT
  config.config_hash, state.cpu, state.policy, state.freq, state.idle, state.curve_value,
  state.is_cluster_on
FROM _system_configs AS config
JOIN _cpu_segments AS state ON state.segment = config.segment;

-- Active CPUs that the power of another CPU depends on, ranked: the frequency of the first counts.
CREATE PERFETTO TABLE _votes_of_configs AS
SELECT
  config_hash,
  cpu,
  voter_policy,
  voter_freq,
  row_number() OVER (PARTITION BY config_hash, cpu ORDER BY vote DESC, voter) AS nth
FROM (
  SELECT
    state.config_hash,
    pair.cpu,
    state.cpu AS voter,
    state.policy AS voter_policy,
    state.freq AS voter_freq,
    CASE rule.vote_by_freq WHEN 1 THEN CAST(state.freq AS REAL) ELSE state.curve_value END AS vote
  FROM _cpus_of_configs AS state
  JOIN _cpu_lut_dependencies AS pair ON pair.dep_cpu = state.cpu
  JOIN _dev_vote_by_freq AS rule ON rule.cpu = pair.cpu
  WHERE state.idle = -1
);

-- CPUs in the different states, with the second frequency that the power of each depends on.
CREATE PERFETTO TABLE _cpus_with_dependencies(
  -- State, as in `_w_independent_cpus_calc`.
  config_hash LONG,
  -- CPU.
  cpu LONG,
  -- Frequency policy; -1 for a CPU that the device does not have.
  policy LONG,
  -- Frequency in kHz; 0 if unknown.
  freq LONG,
  -- Idle state; -1 when not idle.
  idle LONG,
  -- Power, mW; NULL without a curve that depends on this cluster only.
  curve_value DOUBLE,
  -- 1 if any CPU of the cluster is on, else 0.
  is_cluster_on LONG,
  -- Frequency policy that the power depends on, 255 for the DSU; NULL without such a curve.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG
) AS
SELECT
  state.config_hash,
  state.cpu,
  state.policy,
  state.freq,
  state.idle,
  state.curve_value,
  state.is_cluster_on,
  CASE
    WHEN dsu.cpu IS NOT NULL THEN _dsu_dep!()
    ELSE coalesce(elected.voter_policy, lowest.dep_policy)
  END AS dep_policy,
  CASE
    WHEN dsu.cpu IS NOT NULL THEN config.dsu_freq
    ELSE coalesce(elected.voter_freq, lowest.dep_freq)
  END AS dep_freq
FROM _cpus_of_configs AS state
JOIN _system_configs AS config ON config.config_hash = state.config_hash
LEFT JOIN _cpu_w_dsu_dependency AS dsu ON dsu.cpu = state.cpu
LEFT JOIN _cpu_w_dependency_default_vote AS lowest ON lowest.cpu = state.cpu
LEFT JOIN (SELECT * FROM _votes_of_configs WHERE nth = 1) AS elected
  ON elected.config_hash = state.config_hash AND elected.cpu = state.cpu;

-- The different states in one row each, with the second frequencies.
CREATE PERFETTO VIEW _w_dependent_cpus_unique AS
SELECT
  state.config_hash,
  max(state.freq_0) AS freq_0, max(state.idle_0) AS idle_0,
  max(state.freq_1) AS freq_1, max(state.idle_1) AS idle_1,
  max(state.freq_2) AS freq_2, max(state.idle_2) AS idle_2,
  max(state.freq_3) AS freq_3, max(state.idle_3) AS idle_3,
  max(state.freq_4) AS freq_4, max(state.idle_4) AS idle_4,
  max(state.freq_5) AS freq_5, max(state.idle_5) AS idle_5,
  max(state.freq_6) AS freq_6, max(state.idle_6) AS idle_6,
  max(state.freq_7) AS freq_7, max(state.idle_7) AS idle_7,
  max(state.cpu0_curve) AS cpu0_curve,
  max(state.cpu1_curve) AS cpu1_curve,
  max(state.cpu2_curve) AS cpu2_curve,
  max(state.cpu3_curve) AS cpu3_curve,
  max(state.cpu4_curve) AS cpu4_curve,
  max(state.cpu5_curve) AS cpu5_curve,
  max(state.cpu6_curve) AS cpu6_curve,
  max(state.cpu7_curve) AS cpu7_curve,
  max(state.dsu_freq) AS dsu_freq,
  max(state.static_1d) AS static_1d,
  max(state.policy_cpus_on_mask) AS policy_cpus_on_mask,
  max(state.suspended) AS suspended,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 0) AS dep_freq_0,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 0) AS dep_policy_0,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 1) AS dep_freq_1,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 1) AS dep_policy_1,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 2) AS dep_freq_2,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 2) AS dep_policy_2,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 3) AS dep_freq_3,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 3) AS dep_policy_3,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 4) AS dep_freq_4,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 4) AS dep_policy_4,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 5) AS dep_freq_5,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 5) AS dep_policy_5,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 6) AS dep_freq_6,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 6) AS dep_policy_6,
  max(dependency.dep_freq) FILTER (WHERE dependency.cpu = 7) AS dep_freq_7,
  max(dependency.dep_policy) FILTER (WHERE dependency.cpu = 7) AS dep_policy_7
FROM _system_configs AS config
JOIN _system_states AS state
  ON state.segment = config.segment AND state.config_hash = config.config_hash
JOIN _cpus_with_dependencies AS dependency ON dependency.config_hash = config.config_hash
GROUP BY state.config_hash;
