-- The frequencies of memory, buses and shared caches, which devices of the Pixel family scale.

-- A period in which such a frequency stayed.
CREATE PERFETTO VIEW android_dvfs_counters(
  -- The counter.
  name STRING,
  -- When the frequency was set.
  ts TIMESTAMP,
  -- The frequency, in the driver's unit, mostly kHz.
  value DOUBLE,
  -- How long until it was set again.
  dur DURATION
) AS
SELECT
  track.name,
  counter.ts,
  counter.value,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts)
    - counter.ts AS dur
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE
  track.name GLOB '17000*.devfreq_* Frequency'
  OR track.name GLOB 'gs_memlat_devfreq:devfreq_mif_cpu[0-8]_memlat@17000010 Frequency'
  OR track.name GLOB 'cpu[0-8]dsu Frequency'
  OR track.name GLOB 'domain@[0-2] Frequency'
  OR track.name IN ('dsu_throughput Frequency', 'bus_throughput Frequency')
ORDER BY counter.ts;

-- Figures of each such frequency over the trace.
CREATE PERFETTO TABLE android_dvfs_counter_stats(
  -- The counter.
  name STRING,
  -- The highest frequency.
  max DOUBLE,
  -- The lowest.
  min DOUBLE,
  -- How long from the first setting to the last.
  dur DURATION,
  -- The average, weighted by how long each stayed.
  wgt_avg DOUBLE
) AS
SELECT
  name,
  max(value) AS max,
  min(value) AS min,
  max(ts) - min(ts) AS dur,
  sum(value * dur) / sum(dur) AS wgt_avg
FROM android_dvfs_counters
WHERE dur > 0
GROUP BY name
ORDER BY name;

-- How long each frequency stayed over the trace.
CREATE PERFETTO VIEW android_dvfs_counter_residency(
  -- The counter.
  name STRING,
  -- The frequency.
  value DOUBLE,
  -- How long it stayed, over all periods.
  dur DURATION,
  -- That in percent of the counter's whole time.
  pct DOUBLE
) AS
WITH stayed AS (
  SELECT name, value, sum(dur) AS dur
  FROM android_dvfs_counters
  WHERE dur > 0
  GROUP BY name, value
)
SELECT name, value, dur, 100.0 * dur / sum(dur) OVER (PARTITION BY name) AS pct
FROM stayed;
