-- Frequencies of CPUs over the whole trace.

INCLUDE PERFETTO MODULE linux.cpu.frequency;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- A period in which a CPU of the recorded device ran at one frequency. The periods of each CPU
-- cover the trace.
CREATE PERFETTO TABLE _adjusted_cpu_freq(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in kHz; NULL before the first value.
  freq LONG,
  -- CPU.
  cpu LONG,
  -- Frequency policy; NULL for a CPU without any value.
  policy LONG
) AS
WITH known AS (
  SELECT speed.ts, speed.dur, speed.freq, cpu.cpu, cpu.policy
  FROM _dev_cpu_policy_map AS cpu
  JOIN cpu_frequency_counters AS speed ON speed.ucpu = cpu.cpu
)
SELECT
  trace_start() AS ts,
  coalesce(min(known.ts), trace_end()) - trace_start() AS dur,
  CAST(NULL AS BIGINT) AS freq,
  cpu.cpu,
  max(known.policy) AS policy
FROM _dev_cpu_policy_map AS cpu
LEFT JOIN known ON known.cpu = cpu.cpu
GROUP BY cpu.cpu
UNION ALL
SELECT ts, dur, freq, cpu, policy
FROM known;
