-- Runs of the benchmark Speedometer 2.1.

-- The marks that a test sets as it begins, when its own work is done, and when all is.
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

-- The threads in question: those that bear the marks, or the main threads of their processes.
CREATE PERFETTO TABLE _chrome_speedometer_2_1_threads AS
SELECT DISTINCT coalesce(thread_track.utid, main.utid) AS utid
FROM _chrome_speedometer_2_1_marks AS mark
LEFT JOIN thread_track ON thread_track.id = mark.track_id
LEFT JOIN process_track ON process_track.id = mark.track_id
LEFT JOIN thread AS main
  ON main.upid = process_track.upid
  AND (main.is_main_thread = 1 OR main.name = 'CrRendererMain');

-- A measure: the time of one part of a test, between two of its marks.
CREATE PERFETTO TABLE chrome_speedometer_2_1_measure(
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The measure's name: `<suite>.<test>-<type>`.
  name STRING,
  -- The iteration it belongs to.
  iteration LONG,
  -- The suite.
  suite_name STRING,
  -- The suite's test.
  test_name STRING,
  -- `sync` or `async`: the test's own work, or what it brings about.
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

-- An iteration of all suites, from the first of its measures to the last: it does not mark itself.
CREATE PERFETTO TABLE chrome_speedometer_2_1_iteration(
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- `iteration-` and its number.
  name STRING,
  -- Its number.
  iteration LONG,
  -- The geometric mean of the suites' times, in ns.
  geomean DOUBLE,
  -- The score: the higher the faster.
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

-- The run's score.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_score()
-- The average of its iterations' scores; NULL where the trace has no run.
RETURNS DOUBLE AS
SELECT avg(score)
FROM chrome_speedometer_2_1_iteration;

-- The thread that ran the benchmark.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_renderer_main_utid()
-- As in `thread`; NULL where the trace has no run.
RETURNS LONG AS
SELECT min(utid)
FROM _chrome_speedometer_2_1_threads;
