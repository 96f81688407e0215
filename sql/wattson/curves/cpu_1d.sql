-- Power curves of CPUs that depend on their own cluster only.

-- Power of a CPU at each frequency. tpq has no measured curves: the table is empty until a
-- statement replaces it.
CREATE PERFETTO TABLE _device_curves_1d(
  -- Model of the SoC, as in `_wattson_device`.
  device STRING,
  -- Frequency policy of the CPU.
  policy LONG,
  -- Frequency in kHz.
  freq_khz LONG,
  -- Power of the whole cluster while any of its CPUs is on, mW.
  static DOUBLE,
  -- Power of the CPU when it is not idle, mW.
  active DOUBLE,
  -- Power in idle state 0, mW.
  idle0 DOUBLE,
  -- Power in idle state 1, mW.
  idle1 DOUBLE
) AS
SELECT device, policy, freq_khz, static, active, idle0, idle1
FROM __intrinsic_wattson_curves_cpu_1d;
