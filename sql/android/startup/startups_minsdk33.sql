-- Startups on Android 13 and later: an asynchronous slice from the request to the end, then an
-- instant with the result.

-- Results of startups, from instants `launchingActivity#<number>:completed[-<type>]:<package>`. A
-- launch within the same process is not a startup.
CREATE PERFETTO TABLE _startups_completed AS
SELECT DISTINCT
  split_part(mark, ':', 1) AS number,
  split_part(mark, ':', 2) AS outcome,
  split_part(mark, ':', 3) AS package
FROM (
  SELECT substr(name, length('launchingActivity#') + 1) AS mark
  FROM slice
  WHERE name GLOB 'launchingActivity#*:completed*:*' AND dur = 0
)
WHERE NOT mark GLOB '*:completed-same-process:*';

-- A startup on Android 13 or later, from a slice `launchingActivity#<number>`.
CREATE PERFETTO TABLE _startups_minsdk33(
  -- Number of the startup, assigned by the system.
  startup_id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Package name.
  package STRING,
  -- Type: `cold`, `warm` or `hot`; NULL if the system did not report it.
  startup_type STRING
) AS
SELECT
  CAST(completed.number AS INT) AS startup_id,
  slice.ts,
  slice.ts + slice.dur AS ts_end,
  slice.dur,
  completed.package,
  CASE
    WHEN completed.outcome IN ('completed-cold', 'completed-warm', 'completed-hot')
      THEN substr(completed.outcome, length('completed-') + 1)
  END AS startup_type
FROM _startups_completed AS completed
JOIN slice ON slice.name = 'launchingActivity#' || completed.number
WHERE slice.dur > 0;
