-- Power curves of the recorded device, in the form in which estimates look them up.

INCLUDE PERFETTO MODULE wattson.curves.cpu_1d;
INCLUDE PERFETTO MODULE wattson.curves.cpu_2d;
INCLUDE PERFETTO MODULE wattson.curves.gpu;
INCLUDE PERFETTO MODULE wattson.curves.l3;
INCLUDE PERFETTO MODULE wattson.curves.tpu;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- Power of a CPU that depends on its own cluster only.
CREATE PERFETTO TABLE _filtered_curves_1d(
  -- Frequency policy of the CPU.
  policy LONG,
  -- Frequency in kHz.
  freq_khz LONG,
  -- Idle state; -1 when not idle.
  idle LONG,
  -- Power of the CPU, mW.
  curve_value DOUBLE,
  -- Power of the whole cluster while any of its CPUs is on, mW.
  static DOUBLE
) AS
SELECT DISTINCT
  curve.policy,
  curve.freq_khz,
  state.value AS idle,
  CASE state.value WHEN -1 THEN curve.active WHEN 0 THEN curve.idle0 ELSE curve.idle1 END
    AS curve_value,
  curve.static
FROM _device_curves_1d AS curve
CROSS JOIN generate_series(-1, 1) AS state
WHERE
  curve.device IN (SELECT name FROM _wattson_device)
  AND curve.policy IN (SELECT policy FROM _device_policies);

-- Power of a CPU that depends on a second frequency, with the policy of the CPU.
CREATE PERFETTO TABLE _curves_2d_of_policy(
  -- Frequency policy of the CPU.
  policy LONG,
  -- Frequency in kHz.
  freq_khz LONG,
  -- Frequency policy that the power depends on; 255 for the DSU.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG,
  -- Idle state; -1 when not idle.
  idle LONG,
  -- Power of the whole cluster while any of its CPUs is on, mW.
  static DOUBLE,
  -- Power of the CPU, mW.
  curve_value DOUBLE,
  -- Power of the interconnect, mW.
  interconnect DOUBLE
) AS
SELECT DISTINCT
  curve.policy,
  curve.freq_khz,
  curve.dep_policy,
  curve.dep_freq,
  state.value AS idle,
  curve.static,
  CASE state.value WHEN -1 THEN curve.active WHEN 0 THEN curve.idle0 ELSE curve.idle1 END
    AS curve_value,
  curve.interconnect
FROM _device_curves_2d AS curve
CROSS JOIN generate_series(-1, 1) AS state
WHERE curve.device IN (SELECT name FROM _wattson_device);

-- Power of a CPU that depends on a second frequency.
CREATE PERFETTO TABLE _filtered_curves_2d(
  -- Frequency in kHz.
  freq_khz LONG,
  -- Frequency policy that the power depends on; 255 for the DSU.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG,
  -- Idle state; -1 when not idle.
  idle LONG,
  -- Power of the whole cluster while any of its CPUs is on, mW.
  static DOUBLE,
  -- Power of the CPU, mW.
  curve_value DOUBLE
) AS
SELECT DISTINCT freq_khz, dep_policy, dep_freq, idle, static, curve_value
FROM _curves_2d_of_policy;

-- Power of the interconnect.
CREATE PERFETTO TABLE _filtered_curves_interconnect(
  -- Frequency policy of the CPU.
  policy LONG,
  -- Frequency in kHz.
  freq_khz LONG,
  -- Frequency policy that the power depends on; 255 for the DSU.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG,
  -- Power, mW.
  curve_value DOUBLE
) AS
SELECT policy, freq_khz, dep_policy, dep_freq, interconnect AS curve_value
FROM _curves_2d_of_policy
WHERE idle = -1 AND interconnect > 0;

-- Energy of an access to the L3 cache.
CREATE PERFETTO TABLE _filtered_curves_l3(
  -- Frequency of CPU 0 in kHz.
  freq_khz LONG,
  -- Frequency policy that the energy depends on; 255 for the DSU.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG,
  -- Energy of a hit, nJ.
  l3_hit DOUBLE,
  -- Energy of a miss, nJ.
  l3_miss DOUBLE
) AS
SELECT freq_khz, dep_policy, dep_freq, l3_hit, l3_miss
FROM _device_curves_l3
WHERE device IN (SELECT name FROM _wattson_device);

-- Power of the GPU.
CREATE PERFETTO TABLE _gpu_filtered_curves(
  -- Frequency in kHz.
  freq_khz LONG,
  -- Power state: 2 when the GPU works, down to 0.
  idle LONG,
  -- Power, mW.
  curve_value DOUBLE
) AS
SELECT
  curve.freq_khz,
  state.value AS idle,
  CASE state.value WHEN 2 THEN curve.active WHEN 1 THEN curve.idle1 ELSE curve.idle2 END
    AS curve_value
FROM _gpu_device_curves AS curve
CROSS JOIN generate_series(0, 2) AS state
WHERE curve.device IN (SELECT name FROM _wattson_device);

-- Power of the TPU.
CREATE PERFETTO TABLE _tpu_filtered_curves(
  -- Cluster of the TPU: 0, 1, or 2 for both.
  cluster LONG,
  -- Frequency, in the unit of the slices on the track `DVFS`.
  freq LONG,
  -- Number of requests that run at the same time, at most 8.
  requests LONG,
  -- Power, mW.
  active DOUBLE
) AS
SELECT cluster, freq, requests, active
FROM _tpu_device_curves
WHERE device IN (SELECT name FROM _wattson_device);

-- CPUs of which the power depends on the frequency of the DSU.
CREATE PERFETTO TABLE _cpu_w_dsu_dependency(
  -- CPU.
  cpu LONG
) AS
SELECT cpu
FROM _dev_cpu_policy_map
WHERE policy IN (SELECT policy FROM _curves_2d_of_policy WHERE dep_policy = _dsu_dep!());

-- Second frequency of a CPU while no CPU that it depends on is active: the lowest in the curves.
CREATE PERFETTO TABLE _cpu_w_dependency_default_vote(
  -- CPU.
  cpu LONG,
  -- Frequency policy that the power depends on; 255 for the DSU.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG
) AS
SELECT cpu.cpu, lowest.dep_policy, lowest.dep_freq
FROM (
  SELECT policy, arg_min(dep_policy, dep_freq) AS dep_policy, min(dep_freq) AS dep_freq
  FROM _curves_2d_of_policy
  GROUP BY policy
) AS lowest
JOIN _dev_cpu_policy_map AS cpu ON cpu.policy = lowest.policy;

-- Pairs of CPUs of which one depends on the frequency of the other.
CREATE PERFETTO TABLE _cpu_lut_dependencies(
  -- CPU of which the power depends on the other.
  cpu LONG,
  -- The other CPU.
  dep_cpu LONG
) AS
SELECT cpu.cpu, other.cpu AS dep_cpu
FROM _dev_cpu_policy_map AS cpu
JOIN _dev_cpu_policy_map AS other ON other.policy != cpu.policy
WHERE
  cpu.policy IN (SELECT policy FROM _curves_2d_of_policy WHERE dep_policy != _dsu_dep!())
  AND other.policy IN (SELECT dep_policy FROM _curves_2d_of_policy);
