-- Frequency, idle state and power of each CPU over time.

INCLUDE PERFETTO MODULE wattson.cpu.freq;
INCLUDE PERFETTO MODULE wattson.cpu.hotplug;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- Periods with one frequency and one idle state.
CREATE VIRTUAL TABLE _cpu_freq_and_idle USING SPAN_JOIN(
  _adjusted_cpu_freq PARTITIONED cpu,
  _adjusted_deep_idle PARTITIONED cpu
);

-- Periods in which a CPU also was either online or offline.
CREATE VIRTUAL TABLE _cpu_freq_idle_and_hotplug USING SPAN_JOIN(
  _cpu_freq_and_idle PARTITIONED cpu,
  _gapless_hotplug_slices PARTITIONED cpu
);

-- A period in which a CPU of the recorded device had one frequency and one idle state. The periods
-- of each CPU cover the time from the first frequency of CPU 0 to the end of the trace.
CREATE PERFETTO TABLE _idle_freq_materialized(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Frequency policy; NULL for a CPU without any frequency.
  policy LONG,
  -- Frequency in kHz; NULL if unknown.
  freq LONG,
  -- Idle state; -1 when not idle; the deepest one when offline; NULL if unknown.
  idle LONG,
  -- Power of the CPU, mW; 0 when offline; NULL without a curve that depends on this cluster only.
  curve_value DOUBLE,
  -- Power of the whole cluster while any of its CPUs is on, mW; NULL without such a curve.
  static DOUBLE
) AS
WITH
  known_from AS (
    SELECT min(ts) AS ts
    FROM _adjusted_cpu_freq
    WHERE cpu = 0 AND freq IS NOT NULL
  ),
  known AS (
    SELECT
      max(state.ts, known_from.ts) AS ts,
      state.ts + state.dur AS end_ts,
      state.cpu, state.policy, state.freq, state.idle, state.offline
    FROM _cpu_freq_idle_and_hotplug AS state
    JOIN known_from ON known_from.ts < state.ts + state.dur
  )
SELECT
  known.ts,
  known.end_ts - known.ts AS dur,
  known.cpu,
  known.policy,
  known.freq,
  CASE known.offline WHEN 1 THEN deepest.idle ELSE known.idle END AS idle,
  CASE known.offline WHEN 1 THEN 0.0 ELSE curve.curve_value END AS curve_value,
  curve.static
FROM known
CROSS JOIN _deepest_idle AS deepest
LEFT JOIN _filtered_curves_1d AS curve
  ON curve.policy = known.policy AND curve.freq_khz = known.freq AND curve.idle = known.idle;
