-- Power curves of TPUs (units that run neural networks).

-- Power of a TPU at each frequency and number of requests. tpq has no measured curves: the table is
-- empty until a statement replaces it.
CREATE PERFETTO TABLE _tpu_device_curves(
  -- Model of the SoC, as in `_wattson_device`.
  device STRING,
  -- Cluster of the TPU: 0, 1, or 2 for both.
  cluster LONG,
  -- Frequency, in the unit of the slices on the track `DVFS`.
  freq LONG,
  -- Number of requests that run at the same time, at most 8.
  requests LONG,
  -- Power, mW.
  active DOUBLE
) AS
SELECT device, cluster, freq, requests, active
FROM __intrinsic_wattson_curves_tpu;
