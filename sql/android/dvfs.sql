-- Frequencies of memory, buses and shared caches, which Pixel devices scale.

-- Frequency counters. Their names all end in ` Frequency`.
CREATE PERFETTO TABLE _dvfs_tracks AS
SELECT track.id, track.name
FROM counter_track AS track
JOIN (
  VALUES
    ('17000*.devfreq_*'), ('gs_memlat_devfreq:devfreq_mif_cpu[0-8]_memlat@17000010'),
    ('cpu[0-8]dsu'), ('domain@[0-2]'), ('dsu_throughput'), ('bus_throughput')
) AS known ON track.name GLOB known.column1 || ' Frequency';

-- A period in which such a frequency was constant.
CREATE PERFETTO VIEW android_dvfs_counters(
  -- Name of the counter track.
  name STRING,
  -- Time when the frequency was set, ns in trace time.
  ts TIMESTAMP,
  -- Frequency in the unit of the driver, usually kHz.
  value DOUBLE,
  -- Time until the frequency was set again, ns.
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

-- Statistics of each such frequency over the trace.
CREATE PERFETTO TABLE android_dvfs_counter_stats(
  -- Name of the counter track.
  name STRING,
  -- Highest frequency.
  max DOUBLE,
  -- Lowest frequency.
  min DOUBLE,
  -- Time from the first to the last value, ns.
  dur DURATION,
  -- Average frequency, weighted by duration.
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

-- Time at each frequency over the trace.
CREATE PERFETTO VIEW android_dvfs_counter_residency(
  -- Name of the counter track.
  name STRING,
  -- Frequency, in the unit of the driver.
  value DOUBLE,
  -- Total time at this frequency, ns.
  dur DURATION,
  -- `dur` in percent of the total time of the counter.
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
