-- Power of the TPU (a unit that runs neural networks).

INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.tpu.freq_idle;

-- Periods with one frequency and one number of requests.
CREATE VIRTUAL TABLE _tpu_freq_and_requests USING SPAN_JOIN(_tpu_freq, _tpu_requests_count);

-- A period with constant power of the TPU.
CREATE PERFETTO TABLE _tpu_estimates_mw(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power, mW.
  tpu_mw DOUBLE
) AS
SELECT state.ts, state.dur, coalesce(curve.active, 0.0) AS tpu_mw
FROM _tpu_freq_and_requests AS state
JOIN _tpu_filtered_curves AS curve
  ON
    curve.freq = state.freq
    AND curve.cluster = state.cluster
    AND curve.requests = min(state.requests, 8)
ORDER BY state.ts;
