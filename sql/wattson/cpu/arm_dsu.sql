-- Frequency of the DSU (the shared unit of an Arm CPU cluster) and accesses to its L3 cache.

INCLUDE PERFETTO MODULE linux.devfreq;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- Returns the rate of an event that the DSU counts. The periods lie between two values of the
-- counter; the time before the first value has rate 0, and so has the whole trace without values.
CREATE PERFETTO FUNCTION _arm_dsu_event_rate(
  -- Name of the event.
  event STRING
)
RETURNS TABLE(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Events per ns.
  rate DOUBLE
) AS
WITH
  -- Recorders name the counter in two ways. Under the first name a value counts the events until
  -- the next value, under the second one all events since the start.
  tracks AS (
    SELECT id, is_count_of_period, max(is_count_of_period) OVER () AS has_count_of_period
    FROM (
      SELECT id, iif(name = 'arm_dsu_0/' || $event || '/_cpu0', 1, 0) AS is_count_of_period
      FROM counter_track
      WHERE name IN ('arm_dsu_0/' || $event || '/_cpu0', 'arm_dsu_0-' || $event)
    )
  ),
  readings AS (
    SELECT
      value.ts,
      value.value,
      tracks.is_count_of_period,
      lead(value.ts) OVER of_track AS next_ts,
      lead(value.value) OVER of_track AS next_value
    FROM counter AS value
    JOIN tracks ON tracks.id = value.track_id
    WHERE tracks.is_count_of_period = tracks.has_count_of_period
    WINDOW of_track AS (PARTITION BY value.track_id ORDER BY value.ts)
  )
SELECT trace_start() AS ts, coalesce(min(ts), trace_end()) - trace_start() AS dur, 0.0 AS rate
FROM readings
UNION ALL
SELECT
  ts,
  next_ts - ts,
  (CASE is_count_of_period WHEN 1 THEN value ELSE next_value - value END) / (next_ts - ts)
FROM readings
WHERE next_ts > ts;

-- Rate of the accesses that missed the L3 cache.
CREATE PERFETTO TABLE _arm_l3_misses AS
SELECT ts, dur, rate AS l3_miss_rate
FROM _arm_dsu_event_rate('bus_access');

-- Rate of the accesses to the L3 cache.
CREATE PERFETTO TABLE _arm_l3_accesses AS
SELECT ts, dur, rate AS l3_hit_rate
FROM _arm_dsu_event_rate('l3d_cache');

-- Both rates.
CREATE VIRTUAL TABLE _arm_l3_rates_span USING SPAN_JOIN(_arm_l3_misses, _arm_l3_accesses);

-- A period in which the L3 cache was accessed at constant rates.
CREATE PERFETTO TABLE _arm_l3_rates(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Misses per ns.
  l3_miss_rate DOUBLE,
  -- Accesses per ns.
  l3_hit_rate DOUBLE
) AS
SELECT ts, dur, l3_miss_rate, l3_hit_rate
FROM _arm_l3_rates_span
WHERE dur > 0;

-- A period in which the DSU ran at one frequency. If the recorded device does not need the
-- frequency of its DSU, one period covers the trace.
CREATE PERFETTO TABLE _wattson_dsu_frequency(
  -- Row of the counter value; join with `counter` on `id`. 0 for a frequency that is not recorded.
  id LONG,
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency in kHz; 0 if the device does not need it.
  dsu_freq LONG
) AS
SELECT value.id, value.ts, value.dur, value.dsu_freq
FROM linux_devfreq_dsu_counter AS value
CROSS JOIN _use_devfreq_for_calc
UNION ALL
-- A virtual machine has no DSU. The lowest frequency of that of its host stands in.
SELECT 0, trace_start(), trace_dur(), 610000
FROM _use_devfreq_for_calc
WHERE
  EXISTS (
    SELECT 1
    FROM metadata
    WHERE
      name = 'android_guest_soc_model' AND str_value IN (SELECT device FROM _use_devfreq)
  )
  AND NOT EXISTS (SELECT 1 FROM linux_devfreq_dsu_counter)
UNION ALL
SELECT 0, trace_start(), trace_dur(), 0
FROM _skip_devfreq_for_calc;
