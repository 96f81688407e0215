-- The frequencies of memory, buses and shared caches, which devices of the Pixel family scale.

-- The counters of these frequencies: their names, of which all go on with ` Frequency`.
CREATE PERFETTO TABLE _dvfs_tracks AS
SELECT track.id, track.name
FROM counter_track AS track
JOIN (
  VALUES
    ('17000*.devfreq_*'), ('gs_memlat_devfreq:devfreq_mif_cpu[0-8]_memlat@17000010'),
    ('cpu[0-8]dsu'), ('domain@[0-2]'), ('dsu_throughput'), ('bus_throughput')
) AS known ON track.name GLOB known.column1 || ' Frequency';

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
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY track.id ORDER BY counter.ts) - counter.ts
    AS dur
FROM counter
JOIN _dvfs_tracks AS track ON track.id = counter.track_id
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
SELECT
  name,
  value,
  sum(dur) AS dur,
  100.0 * sum(dur) / sum(sum(dur)) OVER (PARTITION BY name) AS pct
FROM android_dvfs_counters
WHERE dur > 0
GROUP BY name, value;
