-- Power of each component as a series of values, each of which differs from the one before. The
-- Perfetto UI shows them as counters.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE wattson.estimates;

-- Returns the power of a component: `ts`, `dur` and a column with the name of the component, in mW.
-- Power that is unknown is 0.
CREATE PERFETTO MACRO _get_continuous_estimates(
  -- Column of `_system_state_mw`.
  rail ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT ts, dur, value AS $rail
  FROM counter_leading_intervals!((
    SELECT NULL AS id, ts, 0 AS track_id, coalesce($rail, 0.0) AS value
    FROM _system_state_mw
  ))
);

-- Power of CPU 0.
CREATE PERFETTO VIEW _system_state_cpu0_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu0_mw DOUBLE,
  -- CPU: 0.
  cpu LONG
) AS
SELECT ts, dur, cpu0_mw, 0 AS cpu
FROM _get_continuous_estimates!(cpu0_mw);

-- Power of CPU 1.
CREATE PERFETTO VIEW _system_state_cpu1_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu1_mw DOUBLE,
  -- CPU: 1.
  cpu LONG
) AS
SELECT ts, dur, cpu1_mw, 1 AS cpu
FROM _get_continuous_estimates!(cpu1_mw);

-- Power of CPU 2.
CREATE PERFETTO VIEW _system_state_cpu2_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu2_mw DOUBLE,
  -- CPU: 2.
  cpu LONG
) AS
SELECT ts, dur, cpu2_mw, 2 AS cpu
FROM _get_continuous_estimates!(cpu2_mw);

-- Power of CPU 3.
CREATE PERFETTO VIEW _system_state_cpu3_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu3_mw DOUBLE,
  -- CPU: 3.
  cpu LONG
) AS
SELECT ts, dur, cpu3_mw, 3 AS cpu
FROM _get_continuous_estimates!(cpu3_mw);

-- Power of CPU 4.
CREATE PERFETTO VIEW _system_state_cpu4_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu4_mw DOUBLE,
  -- CPU: 4.
  cpu LONG
) AS
SELECT ts, dur, cpu4_mw, 4 AS cpu
FROM _get_continuous_estimates!(cpu4_mw);

-- Power of CPU 5.
CREATE PERFETTO VIEW _system_state_cpu5_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu5_mw DOUBLE,
  -- CPU: 5.
  cpu LONG
) AS
SELECT ts, dur, cpu5_mw, 5 AS cpu
FROM _get_continuous_estimates!(cpu5_mw);

-- Power of CPU 6.
CREATE PERFETTO VIEW _system_state_cpu6_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu6_mw DOUBLE,
  -- CPU: 6.
  cpu LONG
) AS
SELECT ts, dur, cpu6_mw, 6 AS cpu
FROM _get_continuous_estimates!(cpu6_mw);

-- Power of CPU 7.
CREATE PERFETTO VIEW _system_state_cpu7_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  cpu7_mw DOUBLE,
  -- CPU: 7.
  cpu LONG
) AS
SELECT ts, dur, cpu7_mw, 7 AS cpu
FROM _get_continuous_estimates!(cpu7_mw);

-- Power of the DSU (the shared unit of an Arm CPU cluster) with what belongs to it.
CREATE PERFETTO VIEW _system_state_dsu_scu_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  dsu_scu_mw DOUBLE
) AS
SELECT ts, dur, dsu_scu_mw
FROM _get_continuous_estimates!(dsu_scu_mw);

-- Power of the GPU.
CREATE PERFETTO VIEW _system_state_gpu_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  gpu_mw DOUBLE
) AS
SELECT ts, dur, gpu_mw
FROM _get_continuous_estimates!(gpu_mw);

-- Power of the TPU.
CREATE PERFETTO VIEW _system_state_tpu_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  tpu_mw DOUBLE
) AS
SELECT ts, dur, tpu_mw
FROM _get_continuous_estimates!(tpu_mw);
