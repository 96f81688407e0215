-- Power curves of GPUs.

-- Power of a GPU at each frequency. tpq has no measured curves: the table is empty until a
-- statement replaces it.
CREATE PERFETTO TABLE _gpu_device_curves(
  -- Model of the SoC, as in `_wattson_device`.
  device STRING,
  -- Frequency in kHz.
  freq_khz LONG,
  -- Power in power state 2, when the GPU works, mW.
  active DOUBLE,
  -- Power in power state 1, mW.
  idle1 DOUBLE,
  -- Power in power state 0, mW.
  idle2 DOUBLE
) AS
SELECT device, freq_khz, active, idle1, idle2
FROM __intrinsic_wattson_curves_gpu;
