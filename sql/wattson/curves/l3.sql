-- Energy curves of L3 caches.

-- Energy of an access to the L3 cache at each pair of frequencies. tpq has no measured curves: the
-- table is empty until a statement replaces it.
CREATE PERFETTO TABLE _device_curves_l3(
  -- Model of the SoC, as in `_wattson_device`.
  device STRING,
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
SELECT device, freq_khz, dep_policy, dep_freq, l3_hit, l3_miss
FROM __intrinsic_wattson_curves_l3;
