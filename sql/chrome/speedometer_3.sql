-- Runs of the benchmark Speedometer 3.

-- The iterations, which mark themselves.
CREATE PERFETTO TABLE _chrome_speedometer_3_iterations AS
SELECT
  ts,
  dur,
  name,
  CAST(nullif(substr(name, length('iteration-') + 1), '') AS BIGINT) AS iteration
FROM slice
WHERE category = 'blink.user_timing' AND name GLOB 'iteration-[0-9]*';

-- The measures of tests, `<suite>.<test>-sync` and `-async`.
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

-- The threads in question: those that bear the marks, or the main threads of their processes.
CREATE PERFETTO TABLE _chrome_speedometer_3_threads AS
SELECT DISTINCT coalesce(thread_track.utid, main.utid) AS utid
FROM _chrome_speedometer_3_measures AS mark
LEFT JOIN thread_track ON thread_track.id = mark.track_id
LEFT JOIN process_track ON process_track.id = mark.track_id
LEFT JOIN thread AS main
  ON main.upid = process_track.upid
  AND (main.is_main_thread = 1 OR main.name = 'CrRendererMain');

-- A measure: the time of one part of a test.
CREATE PERFETTO TABLE chrome_speedometer_3_measure(
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

-- An iteration of all suites.
CREATE PERFETTO TABLE chrome_speedometer_3_iteration(
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

-- The run's score.
CREATE PERFETTO FUNCTION chrome_speedometer_3_score()
-- The average of its iterations' scores; NULL where the trace has no run.
RETURNS DOUBLE AS
SELECT avg(score)
FROM chrome_speedometer_3_iteration;

-- The thread that ran the benchmark.
CREATE PERFETTO FUNCTION chrome_speedometer_3_renderer_main_utid()
-- As in `thread`; NULL where the trace has no run.
RETURNS LONG AS
SELECT min(utid)
FROM _chrome_speedometer_3_threads;
