-- Power curves of CPUs that depend on a second frequency.

-- Power of a CPU at each frequency of its own and of another cluster or the DSU (the shared unit of
-- an Arm CPU cluster). tpq has no measured curves: the table is empty until a statement replaces
-- it.
CREATE PERFETTO TABLE _device_curves_2d(
  -- Model of the SoC, as in `_wattson_device`.
  device STRING,
  -- Frequency policy of the CPU.
  policy LONG,
  -- Frequency in kHz.
  freq_khz LONG,
  -- Frequency policy that the power depends on; 255 for the DSU.
  dep_policy LONG,
  -- Frequency of that policy, in kHz.
  dep_freq LONG,
  -- Power of the whole cluster while any of its CPUs is on, mW.
  static DOUBLE,
  -- Power of the CPU when it is not idle, mW.
  active DOUBLE,
  -- Power in idle state 0, mW.
  idle0 DOUBLE,
  -- Power in idle state 1, mW.
  idle1 DOUBLE,
  -- Power of the interconnect, mW.
  interconnect DOUBLE
) AS
SELECT
  device, policy, freq_khz, dep_policy, dep_freq, static, active, idle0, idle1, interconnect
FROM __intrinsic_wattson_curves_cpu_2d;
