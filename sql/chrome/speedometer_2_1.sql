-- Runs of the Speedometer benchmark, version 2.1.

-- Marks of each test: its start, the end of its synchronous work, and the end of its asynchronous
-- work.
CREATE PERFETTO TABLE _chrome_speedometer_2_1_marks AS
SELECT
  ts,
  track_id,
  name,
  CASE
    WHEN name GLOB '*-async-end' THEN substr(name, 1, length(name) - length('-async-end'))
    WHEN name GLOB '*-sync-end' THEN substr(name, 1, length(name) - length('-sync-end'))
    ELSE substr(name, 1, length(name) - length('-start'))
  END AS test
FROM slice
WHERE
  category = 'blink.user_timing'
  AND (name GLOB '*.*-start' OR name GLOB '*.*-sync-end' OR name GLOB '*.*-async-end');

-- Threads with these marks, or the main threads of the processes with these marks.
CREATE PERFETTO TABLE _chrome_speedometer_2_1_threads AS
SELECT DISTINCT coalesce(thread_track.utid, main.utid) AS utid
FROM _chrome_speedometer_2_1_marks AS mark
LEFT JOIN thread_track ON thread_track.id = mark.track_id
LEFT JOIN process_track ON process_track.id = mark.track_id
LEFT JOIN thread AS main
  ON main.upid = process_track.upid
  AND (main.is_main_thread = 1 OR main.name = 'CrRendererMain');

-- A measure: the time of a part of a test, between two of its marks.
CREATE PERFETTO TABLE chrome_speedometer_2_1_measure(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the measure, `<suite>.<test>-<type>`.
  name STRING,
  -- Number of the iteration.
  iteration LONG,
  -- Name of the suite.
  suite_name STRING,
  -- Name of the test in the suite.
  test_name STRING,
  -- Type: `sync` for the work of the test itself, `async` for work that it triggers.
  measure_type STRING
) AS
WITH numbered AS (
  SELECT
    ts,
    test,
    lead(ts) OVER of_test - ts AS dur,
    name GLOB '*-start' AS is_start,
    name GLOB '*-sync-end' AND NOT name GLOB '*-async-end' AS is_sync_end,
    lead(name) OVER of_test AS next_name,
    sum(CASE WHEN name GLOB '*-start' THEN 1 ELSE 0 END) OVER of_test AS iteration
  FROM _chrome_speedometer_2_1_marks
  WINDOW of_test AS (PARTITION BY test ORDER BY ts)
),
measures AS (
  SELECT ts, dur, test, iteration, 'sync' AS measure_type
  FROM numbered
  WHERE is_start AND next_name GLOB '*-sync-end'
  UNION ALL
  SELECT ts, dur, test, iteration, 'async' AS measure_type
  FROM numbered
  WHERE is_sync_end AND next_name GLOB '*-async-end'
)
SELECT
  ts,
  dur,
  test || '-' || measure_type AS name,
  iteration,
  split_part(test, '.', 1) AS suite_name,
  split_part(test, '.', 2) AS test_name,
  measure_type
FROM measures
ORDER BY ts;

-- An iteration over all suites, from its first to its last measure. Version 2.1 has no marks for
-- iterations.
CREATE PERFETTO TABLE chrome_speedometer_2_1_iteration(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name, `iteration-` and the number.
  name STRING,
  -- Number of the iteration.
  iteration LONG,
  -- Geometric mean of the times of the suites, in ns.
  geomean DOUBLE,
  -- Score; a higher score is faster.
  score DOUBLE
) AS
WITH suites AS (
  SELECT iteration, suite_name, sum(dur) AS dur
  FROM chrome_speedometer_2_1_measure
  GROUP BY iteration, suite_name
),
means AS (
  SELECT iteration, exp(avg(ln(dur))) AS geomean
  FROM suites
  GROUP BY iteration
),
spans AS (
  SELECT iteration, min(ts) AS ts, max(ts + dur) - min(ts) AS dur
  FROM chrome_speedometer_2_1_measure
  GROUP BY iteration
)
SELECT
  spans.ts,
  spans.dur,
  'iteration-' || spans.iteration AS name,
  spans.iteration,
  means.geomean,
  60e9 / means.geomean / 3 AS score
FROM spans
JOIN means ON means.iteration = spans.iteration
ORDER BY spans.ts;

-- Returns the score of the run.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_score()
-- Average score of the iterations; NULL without a run.
RETURNS DOUBLE AS
SELECT avg(score)
FROM chrome_speedometer_2_1_iteration;

-- Returns the thread that ran the benchmark.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_renderer_main_utid()
-- `utid` of the thread; NULL without a run.
RETURNS LONG AS
SELECT min(utid)
FROM _chrome_speedometer_2_1_threads;
