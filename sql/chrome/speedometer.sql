-- Runs of the Speedometer benchmark: version 3, or version 2.1 if there is none of version 3.

INCLUDE PERFETTO MODULE chrome.speedometer_2_1;

INCLUDE PERFETTO MODULE chrome.speedometer_3;

-- A measure: the time of a part of a test.
CREATE PERFETTO TABLE chrome_speedometer_measure(
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
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_3_measure
UNION ALL
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_2_1_measure
CROSS JOIN (SELECT count(*) AS measures FROM chrome_speedometer_3_measure) AS newer
WHERE newer.measures = 0
ORDER BY ts;

-- An iteration over all suites.
CREATE PERFETTO TABLE chrome_speedometer_iteration(
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
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_3_iteration
UNION ALL
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_2_1_iteration
CROSS JOIN (SELECT count(*) AS measures FROM chrome_speedometer_3_measure) AS newer
WHERE newer.measures = 0
ORDER BY ts;

-- Returns the score of the run.
CREATE PERFETTO FUNCTION chrome_speedometer_score()
-- Average score of the iterations; NULL without a run.
RETURNS DOUBLE AS
SELECT avg(score)
FROM chrome_speedometer_iteration;

-- Returns the thread that ran the benchmark.
CREATE PERFETTO FUNCTION chrome_speedometer_renderer_main_utid()
-- `utid` of the thread; NULL without a run.
RETURNS LONG AS
SELECT min(utid)
FROM (
  SELECT utid FROM _chrome_speedometer_3_threads
  UNION ALL
  SELECT utid FROM _chrome_speedometer_2_1_threads
);
