-- Frequency and power state of the GPU over time.

INCLUDE PERFETTO MODULE android.gpu.frequency;
INCLUDE PERFETTO MODULE android.gpu.mali_power_state;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- A period in which the GPU had a constant power state. The drivers of Mali and PowerVR GPUs record
-- it in different ways; a device has only one of them.
CREATE PERFETTO VIEW _gpu_power_state(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power state: 2 when on, 1 when power-gated, 0 when off; -1 if the name is unknown.
  power_state LONG
) AS
SELECT ts, dur, power_state
FROM android_mali_gpu_power_state
UNION ALL
SELECT
  slice.ts,
  CASE slice.dur WHEN -1 THEN trace_end() - slice.ts ELSE slice.dur END,
  CASE slice.name WHEN 'ON' THEN 2 WHEN 'PG' THEN 1 WHEN 'OFF' THEN 0 ELSE -1 END
FROM slice
JOIN track ON track.id = slice.track_id
WHERE track.name = 'powervr_gpu_power_state';

-- Power states, with NULL for the time before the first one.
CREATE PERFETTO TABLE _gpu_power_states_from_start AS
SELECT ts, dur, power_state
FROM _gpu_power_state
UNION ALL
SELECT trace_start(), min(ts) - trace_start(), CAST(NULL AS BIGINT)
FROM _gpu_power_state
HAVING min(ts) > trace_start();

-- Frequencies of the GPU that power curves are of, with NULL for the time before the first one.
-- Where the driver reports 0, `clock` is the frequency that the GPU keeps meanwhile.
CREATE PERFETTO TABLE _gpu_frequencies_from_start AS
WITH reported AS (
  SELECT
    ts,
    dur,
    gpu_freq AS freq,
    CASE
      WHEN gpu_freq != 0 THEN gpu_freq
      WHEN prev_gpu_freq = 0 THEN next_gpu_freq
      ELSE prev_gpu_freq
    END AS clock
  FROM android_gpu_frequency
  WHERE
    gpu_id IN (
      SELECT gpu_id FROM _gpuid_map WHERE device IN (SELECT name FROM _wattson_device)
    )
)
SELECT ts, dur, freq, clock
FROM reported
UNION ALL
SELECT trace_start(), min(ts) - trace_start(), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)
FROM reported
HAVING min(ts) > trace_start();

-- Periods with one frequency and one power state.
CREATE VIRTUAL TABLE _gpu_freq_and_power_state USING SPAN_JOIN(
  _gpu_frequencies_from_start,
  _gpu_power_states_from_start
);

-- A period in which the GPU had one frequency and one power state.
CREATE PERFETTO TABLE _gpu_freq_idle(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in the unit of the kernel driver, usually kHz; NULL before the first value.
  freq LONG,
  -- Power state: 2 when the GPU works, down to 0; NULL before the first value. A GPU that is on and
  -- reports the frequency 0 keeps its frequency and is in state 1.
  power_state LONG
) AS
SELECT
  ts,
  dur,
  CASE power_state WHEN 2 THEN clock ELSE freq END AS freq,
  CASE WHEN power_state = 2 AND freq = 0 THEN 1 ELSE power_state END AS power_state
FROM _gpu_freq_and_power_state;
