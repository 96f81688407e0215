-- Runs of the Speedometer benchmark, version 3.

-- Iterations, from their own marks.
CREATE PERFETTO TABLE _chrome_speedometer_3_iterations AS
SELECT
  ts,
  dur,
  name,
  CAST(nullif(substr(name, length('iteration-') + 1), '') AS BIGINT) AS iteration
FROM slice
WHERE category = 'blink.user_timing' AND name GLOB 'iteration-[0-9]*';

-- Measures of tests, `<suite>.<test>-sync` and `<suite>.<test>-async`.
CREATE PERFETTO TABLE _chrome_speedometer_3_measures AS
SELECT
  ts,
  dur,
  name,
  track_id,
  split_part(name, '.', 1) AS suite_name,
  CASE WHEN name GLOB '*-async' THEN 'async' ELSE 'sync' END AS measure_type
FROM slice
WHERE
  category = 'blink.user_timing' AND dur >= 0 AND (name GLOB '*.*-sync' OR name GLOB '*.*-async');

-- Threads with these marks, or the main threads of the processes with these marks.
CREATE PERFETTO TABLE _chrome_speedometer_3_threads AS
SELECT DISTINCT coalesce(thread_track.utid, main.utid) AS utid
FROM _chrome_speedometer_3_measures AS mark
LEFT JOIN thread_track ON thread_track.id = mark.track_id
LEFT JOIN process_track ON process_track.id = mark.track_id
LEFT JOIN thread AS main
  ON main.upid = process_track.upid
  AND (main.is_main_thread = 1 OR main.name = 'CrRendererMain');

-- A measure: the time of a part of a test.
CREATE PERFETTO TABLE chrome_speedometer_3_measure(
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
SELECT
  measure.ts,
  measure.dur,
  measure.name,
  iteration.iteration,
  measure.suite_name,
  substr(
    measure.name,
    length(measure.suite_name) + 2,
    length(measure.name) - length(measure.suite_name) - length(measure.measure_type) - 2
  ) AS test_name,
  measure.measure_type
FROM _chrome_speedometer_3_measures AS measure
JOIN _chrome_speedometer_3_iterations AS iteration
  ON measure.ts >= iteration.ts AND measure.ts < iteration.ts + iteration.dur
ORDER BY measure.ts;

-- An iteration over all suites.
CREATE PERFETTO TABLE chrome_speedometer_3_iteration(
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
  FROM chrome_speedometer_3_measure
  GROUP BY iteration, suite_name
),
means AS (
  SELECT iteration, exp(avg(ln(dur))) AS geomean
  FROM suites
  GROUP BY iteration
)
SELECT
  iteration.ts,
  iteration.dur,
  iteration.name,
  iteration.iteration,
  means.geomean,
  1e9 / means.geomean AS score
FROM _chrome_speedometer_3_iterations AS iteration
JOIN means ON means.iteration = iteration.iteration
ORDER BY iteration.ts;

-- Returns the score of the run.
CREATE PERFETTO FUNCTION chrome_speedometer_3_score()
-- Average score of the iterations; NULL without a run.
RETURNS DOUBLE AS
SELECT avg(score)
FROM chrome_speedometer_3_iteration;

-- Returns the thread that ran the benchmark.
CREATE PERFETTO FUNCTION chrome_speedometer_3_renderer_main_utid()
-- `utid` of the thread; NULL without a run.
RETURNS LONG AS
SELECT min(utid)
FROM _chrome_speedometer_3_threads;
