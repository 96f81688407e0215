-- Startups as Android 13 and later tell them: an asynchronous slice from the request to the end,
-- then an instant that says how it ended.

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- `launchingActivity#<number>`, the whole of a startup.
CREATE PERFETTO TABLE _startups_numbered AS
SELECT substr(name, length('launchingActivity#') + 1) AS number, ts, dur, ts + dur AS ts_end
FROM slice
WHERE name GLOB 'launchingActivity#*' AND NOT name GLOB '*:*' AND dur >= 0;

-- `launchingActivity#<number>:completed-<type>:<package>`, its end. Those that stayed in one
-- process are no startups.
CREATE PERFETTO TABLE _startups_completed AS
SELECT
  split_part(mark, ':', 1) AS number,
  substr(mark, instr(mark, ':') + 1 + length('completed-')) AS outcome
FROM (SELECT substr(name, length('launchingActivity#') + 1) AS mark FROM slice
  WHERE
    name GLOB 'launchingActivity#*:completed-*:*'
    AND NOT name GLOB '*:completed-same-process:*');

-- The same, with the outcome taken apart.
CREATE PERFETTO TABLE _startups_ended AS
SELECT
  numbered.*,
  split_part(outcome, ':', 1) AS startup_type,
  substr(outcome, instr(outcome, ':') + 1) AS package
FROM _startups_numbered AS numbered
JOIN _startups_completed AS completed ON completed.number = numbered.number;

-- What was launched in the course of each startup: when the first launch of all began, and the
-- last one of the startup's own package.
CREATE PERFETTO TABLE _launches_of_startup AS
SELECT
  startup.number,
  min(launch.ts) AS first_ts,
  max(CASE WHEN launch.package_name = startup.package THEN launch.ts END) AS own_ts
FROM _startups_ended AS startup
JOIN _startup_events AS launch ON launch.ts >= startup.ts AND launch.ts < startup.ts_end
GROUP BY startup.number;

-- A startup. Where another package's launch was folded into it, it begins with its own launch.
CREATE PERFETTO TABLE _startups_minsdk33(
  -- The number the system gave it.
  startup_id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- When it ended.
  ts_end TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The package.
  package STRING,
  -- `cold`, `warm` or `hot`.
  startup_type STRING
) AS
SELECT
  CAST(startup.number AS INT) AS startup_id,
  coalesce(own.ts, startup.ts) AS ts,
  coalesce(own.ts_end, startup.ts_end) AS ts_end,
  coalesce(own.dur, startup.dur) AS dur,
  startup.package,
  startup.startup_type
FROM _startups_ended AS startup
LEFT JOIN _launches_of_startup AS launches
  ON launches.number = startup.number AND launches.own_ts > launches.first_ts
LEFT JOIN _startup_events AS own
  ON own.ts = launches.own_ts AND own.package_name = startup.package
WHERE startup.startup_type IN ('cold', 'warm', 'hot');
