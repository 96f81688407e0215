-- Power of the GPU.

INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.gpu.freq_idle;

-- A period with constant power of the GPU.
CREATE PERFETTO TABLE _gpu_estimates_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  gpu_mw DOUBLE
) AS
SELECT state.ts, state.dur, curve.curve_value AS gpu_mw
FROM _gpu_freq_idle AS state
JOIN _gpu_filtered_curves AS curve
  ON curve.freq_khz = state.freq AND curve.idle = state.power_state
ORDER BY state.ts;
