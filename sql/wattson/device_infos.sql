-- CPU clusters of the devices that Wattson has power curves for, and the model of the recorded
-- device.

INCLUDE PERFETTO MODULE android.device;

-- CPU clusters of each model. The CPUs of a cluster share a clock. The kernel calls this a
-- frequency policy and numbers it by its first CPU.
CREATE PERFETTO TABLE _wattson_clusters(
  -- Model of the SoC.
  device STRING,
  -- First CPU.
  first_cpu LONG,
  -- Last CPU.
  last_cpu LONG,
  -- Time for which a CPU already consumes power before the kernel reports that it left deep idle,
  -- ns.
  wakeup_ns LONG
) AS
SELECT column1 AS device, column2 AS first_cpu, column3 AS last_cpu, column4 AS wakeup_ns
FROM (
  VALUES
    ('monaco', 0, 3, 450000),
    ('neo', 0, 3, 100000),
    ('MT6858', 0, 3, 0), ('MT6858', 4, 7, 0),
    ('MT6897', 0, 3, 0), ('MT6897', 4, 6, 0), ('MT6897', 7, 7, 0),
    ('SM8750', 0, 5, 0), ('SM8750', 6, 7, 0),
    ('SXR2230P', 0, 1, 0), ('SXR2230P', 2, 5, 0),
    ('Tensor', 0, 3, 0), ('Tensor', 4, 5, 0), ('Tensor', 6, 7, 200000),
    ('Tensor G4', 0, 3, 0), ('Tensor G4', 4, 6, 110000), ('Tensor G4', 7, 7, 400000),
    ('Tensor G5', 0, 1, 0), ('Tensor G5', 2, 4, 0), ('Tensor G5', 5, 6, 0), ('Tensor G5', 7, 7, 0)
);

-- CPUs of each model.
CREATE PERFETTO TABLE _cpus_of_models AS
SELECT cluster.device, number.value AS cpu, cluster.first_cpu AS policy, cluster.wakeup_ns
FROM _wattson_clusters AS cluster
JOIN generate_series(0, 7) AS number
  ON number.value BETWEEN cluster.first_cpu AND cluster.last_cpu;

-- Time between the wakeup of each CPU and its report.
CREATE PERFETTO VIEW _device_cpu_deep_idle_offsets(
  -- Model of the SoC.
  device STRING,
  -- CPU.
  cpu LONG,
  -- Time between the wakeup from deep idle and its report, ns.
  offset_ns LONG
) AS
SELECT device, cpu, wakeup_ns AS offset_ns
FROM _cpus_of_models;

-- Frequency policy of each CPU of each model.
CREATE PERFETTO VIEW _cpu_to_policy_map(
  -- Model of the SoC.
  device STRING,
  -- CPU.
  cpu LONG,
  -- Frequency policy.
  policy LONG
) AS
SELECT device, cpu, policy
FROM _cpus_of_models;

-- Models of the devices that do not report one, by code name.
CREATE PERFETTO TABLE _wattson_device_map(
  -- Code name of the device.
  device STRING,
  -- Model of the SoC.
  wattson_device STRING
) AS
SELECT column1 AS device, column2 AS wattson_device
FROM (
  VALUES
    ('aurora', 'monaco'), ('eos', 'monaco'),
    ('bluejay', 'Tensor'), ('oriole', 'Tensor'), ('raven', 'Tensor')
);

-- Model of the recorded device; no row for a device without power curves. The model of the guest of
-- a virtual machine counts first, then the model that the device reports, then its code name.
CREATE PERFETTO TABLE _wattson_device(
  -- Model of the SoC.
  name STRING
) AS
WITH found AS (
  SELECT
    str_value AS name,
    CASE name WHEN 'android_guest_soc_model' THEN 1 ELSE 2 END AS preference
  FROM metadata
  WHERE name IN ('android_guest_soc_model', 'android_soc_model') AND str_value IS NOT NULL
  UNION ALL
  SELECT model.wattson_device, 3
  FROM android_device_name AS code
  JOIN _wattson_device_map AS model ON model.device = code.name
)
SELECT name
FROM (SELECT name FROM found ORDER BY preference LIMIT 1)
WHERE name IN (SELECT device FROM _wattson_clusters);

-- CPUs of the recorded device.
CREATE PERFETTO TABLE _dev_cpu_policy_map(
  -- CPU.
  cpu LONG,
  -- Frequency policy: the first CPU of the cluster.
  policy LONG
) AS
SELECT cpu, policy
FROM _cpus_of_models
WHERE device IN (SELECT name FROM _wattson_device)
ORDER BY cpu;

-- Frequency policies of the recorded device.
CREATE PERFETTO TABLE _device_policies(
  -- Frequency policy.
  policy LONG
) AS
SELECT first_cpu AS policy
FROM _wattson_clusters
WHERE device IN (SELECT name FROM _wattson_device)
ORDER BY policy;

-- CPUs that share the cluster of each CPU of the recorded device, as a mask.
CREATE PERFETTO TABLE _cluster_masks(
  -- CPU.
  cpu LONG,
  -- A bit for each CPU of the cluster.
  mask LONG
) AS
SELECT own.cpu, sum(1 << mate.cpu) AS mask
FROM _dev_cpu_policy_map AS own
JOIN _dev_cpu_policy_map AS mate ON mate.policy = own.policy
GROUP BY own.cpu;

-- `_cluster_masks` in one row: `m0` to `m7`, the masks of the CPUs 0 to 7; 0 for a CPU that does
-- not exist.
CREATE PERFETTO VIEW _policy_masks AS
SELECT
  coalesce(max(mask) FILTER (WHERE cpu = 0), 0) AS m0,
  coalesce(max(mask) FILTER (WHERE cpu = 1), 0) AS m1,
  coalesce(max(mask) FILTER (WHERE cpu = 2), 0) AS m2,
  coalesce(max(mask) FILTER (WHERE cpu = 3), 0) AS m3,
  coalesce(max(mask) FILTER (WHERE cpu = 4), 0) AS m4,
  coalesce(max(mask) FILTER (WHERE cpu = 5), 0) AS m5,
  coalesce(max(mask) FILTER (WHERE cpu = 6), 0) AS m6,
  coalesce(max(mask) FILTER (WHERE cpu = 7), 0) AS m7
FROM _cluster_masks;

-- Models with a DSU (the shared unit of an Arm CPU cluster) of which the power depends on its
-- frequency.
CREATE PERFETTO TABLE _use_devfreq(
  -- Model of the SoC.
  device STRING
) AS
SELECT column1 AS device
FROM (VALUES ('Tensor G4'), ('Tensor G5'));

-- One row if the recorded device needs the frequency of its DSU, else none.
CREATE PERFETTO TABLE _use_devfreq_for_calc(
  -- 1.
  devfreq_necessary BOOL
) AS
SELECT 1 AS devfreq_necessary
FROM _wattson_device
WHERE name IN (SELECT device FROM _use_devfreq);

-- One row if the recorded device does not need the frequency of a DSU, else none.
CREATE PERFETTO TABLE _skip_devfreq_for_calc(
  -- 0.
  devfreq_necessary BOOL
) AS
SELECT 0 AS devfreq_necessary
FROM (SELECT count(*) AS needed FROM _use_devfreq_for_calc)
WHERE needed = 0;

-- Idle states of the recorded device if it has more than the two that power curves tell apart: all
-- states from 1 on count as state 1.
CREATE PERFETTO TABLE _idle_state_map_override(
  -- Idle state as the kernel records it; 4294967295 when not idle.
  nominal_idle LONG,
  -- Idle state of the power curve; -1 when not idle.
  override_idle LONG
) AS
WITH deepest(device, state) AS (
  VALUES ('MT6858', 5), ('MT6897', 8), ('neo', 2), ('SXR2230P', 2)
)
SELECT
  CASE number.value WHEN -1 THEN 4294967295 ELSE number.value END AS nominal_idle,
  min(number.value, 1) AS override_idle
FROM deepest
JOIN generate_series(-1, 8) AS number ON number.value <= deepest.state
WHERE deepest.device IN (SELECT name FROM _wattson_device);

-- Deepest idle state of the power curves, in one row.
CREATE PERFETTO TABLE _deepest_idle(
  -- Idle state.
  idle LONG
) AS
SELECT coalesce(max(override_idle), 1) AS idle
FROM _idle_state_map_override;

-- CPUs of which the power depends on another cluster: on the CPU there that has the highest
-- frequency, or on the one that consumes most.
CREATE PERFETTO TABLE _dev_vote_by_freq(
  -- CPU.
  cpu LONG,
  -- 1 for the highest frequency, 0 for the highest power.
  vote_by_freq LONG
) AS
SELECT
  cpu,
  CASE WHEN device = 'Tensor G5' AND policy >= 5 THEN 1 ELSE 0 END AS vote_by_freq
FROM _cpus_of_models
WHERE device IN (SELECT name FROM _wattson_device)
ORDER BY cpu;

-- GPU of each model that has power curves for its GPU.
CREATE PERFETTO TABLE _gpuid_map(
  -- Model of the SoC.
  device STRING,
  -- GPU number, as in `gpu_counter_track.gpu_id`.
  gpu_id LONG
) AS
SELECT column1 AS device, column2 AS gpu_id
FROM (VALUES ('Tensor', 1), ('Tensor G5', 0));
