-- Runs of the benchmark Speedometer, of whichever version: 3, or where that is not there, 2.1.

INCLUDE PERFETTO MODULE chrome.speedometer_2_1;

INCLUDE PERFETTO MODULE chrome.speedometer_3;

-- A measure: the time of one part of a test.
CREATE PERFETTO TABLE chrome_speedometer_measure(
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
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_3_measure
UNION ALL
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_2_1_measure
CROSS JOIN (SELECT count(*) AS measures FROM chrome_speedometer_3_measure) AS newer
WHERE newer.measures = 0
ORDER BY ts;

-- An iteration of all suites.
CREATE PERFETTO TABLE chrome_speedometer_iteration(
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
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_3_iteration
UNION ALL
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_2_1_iteration
CROSS JOIN (SELECT count(*) AS measures FROM chrome_speedometer_3_measure) AS newer
WHERE newer.measures = 0
ORDER BY ts;

-- The run's score.
CREATE PERFETTO FUNCTION chrome_speedometer_score()
-- The average of its iterations' scores; NULL where the trace has no run.
RETURNS DOUBLE AS
SELECT avg(score)
FROM chrome_speedometer_iteration;

-- The thread that ran the benchmark.
CREATE PERFETTO FUNCTION chrome_speedometer_renderer_main_utid()
-- As in `thread`; NULL where the trace has no run.
RETURNS LONG AS
SELECT min(utid)
FROM (
  SELECT utid FROM _chrome_speedometer_3_threads
  UNION ALL
  SELECT utid FROM _chrome_speedometer_2_1_threads
);
