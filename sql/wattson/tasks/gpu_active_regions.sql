-- Power of the GPU while it had a frequency and worked for no app.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.gpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_tasks;

-- Regions: uninterrupted runs of periods with a frequency above 0.
CREATE PERFETTO TABLE _gpu_active_regions(
  -- Start of the region, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Number of the region.
  group_id LONG
) AS
SELECT min(ts) AS ts, max(ts + dur) - min(ts) AS dur, group_id
FROM (
  -- The number of inactive periods before an active one is the same in the whole run.
  SELECT ts, dur, is_active, sum(1 - is_active) OVER (ORDER BY ts) AS group_id
  FROM (SELECT ts, dur, iif(freq > 0, 1, 0) AS is_active FROM _gpu_freq_idle)
)
WHERE is_active = 1
GROUP BY group_id;

-- The first work in each region.
CREATE PERFETTO TABLE _gpu_first_work_of_regions AS
SELECT group_id, ts, uid
FROM (
  SELECT
    part.id_0 AS group_id,
    part.ts,
    work.uid,
    row_number() OVER (PARTITION BY part.id_0 ORDER BY part.ts, work.ts, work.uid) AS nth
  FROM _interval_intersect!(
    (
      (SELECT group_id AS id, ts, dur FROM _gpu_active_regions),
      (SELECT _auto_id AS id, ts, dur FROM _gpu_tasks)
    ),
    ()
  ) AS part
  JOIN _gpu_tasks AS work ON work._auto_id = part.id_1
)
WHERE nth = 1;

-- Periods without work.
CREATE PERFETTO VIEW _gpu_pauses AS
SELECT ts, dur
FROM _gpu_active_task_count
WHERE active_tasks = 0;

-- Periods without work in regions.
CREATE VIRTUAL TABLE _gpu_pauses_in_regions USING SPAN_JOIN(_gpu_active_regions, _gpu_pauses);

-- Periods without work in regions with work. Before the first work the GPU already runs for it.
CREATE PERFETTO TABLE _gpu_active_region_gaps(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- User id of the first work if the period lies before it, else -1.
  uid LONG
) AS
SELECT
  pause.ts,
  pause.dur,
  CASE WHEN pause.ts + pause.dur <= first_work.ts THEN first_work.uid ELSE -1 END AS uid
FROM _gpu_pauses_in_regions AS pause
JOIN _gpu_first_work_of_regions AS first_work ON first_work.group_id = pause.group_id;

-- These periods with the power of the GPU.
CREATE VIRTUAL TABLE _gpu_gaps_with_power USING SPAN_JOIN(
  _gpu_active_region_gaps,
  _gpu_estimates_mw
);

-- Power in these periods.
CREATE PERFETTO TABLE _gpu_gap_attribution(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- User id that the power counts for; -1 for none.
  uid LONG,
  -- Power, mW.
  estimated_mw DOUBLE
) AS
SELECT ts, dur, coalesce(uid, -1) AS uid, gpu_mw AS estimated_mw
FROM _gpu_gaps_with_power;
