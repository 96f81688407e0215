-- Startups on Android 13 and later: an asynchronous slice from the request to the end, then an
-- instant with the result.

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- Slices `launchingActivity#<number>`, which span a whole startup.
CREATE PERFETTO TABLE _startups_numbered AS
SELECT substr(name, length('launchingActivity#') + 1) AS number, ts, dur, ts + dur AS ts_end
FROM slice
WHERE name GLOB 'launchingActivity#*' AND NOT name GLOB '*:*' AND dur >= 0;

-- Instants `launchingActivity#<number>:completed-<type>:<package>`, which end a startup. A launch
-- within the same process is not a startup.
CREATE PERFETTO TABLE _startups_completed AS
SELECT
  split_part(mark, ':', 1) AS number,
  substr(mark, instr(mark, ':') + 1 + length('completed-')) AS outcome
FROM (SELECT substr(name, length('launchingActivity#') + 1) AS mark FROM slice
  WHERE
    name GLOB 'launchingActivity#*:completed-*:*'
    AND NOT name GLOB '*:completed-same-process:*');

-- Startups with the type and package from the result.
CREATE PERFETTO TABLE _startups_ended AS
SELECT
  numbered.*,
  split_part(outcome, ':', 1) AS startup_type,
  substr(outcome, instr(outcome, ':') + 1) AS package
FROM _startups_numbered AS numbered
JOIN _startups_completed AS completed ON completed.number = numbered.number;

-- Launches during each startup: the start of the first launch, and the start of the last launch of
-- the package of the startup.
CREATE PERFETTO TABLE _launches_of_startup AS
SELECT
  startup.number,
  min(launch.ts) AS first_ts,
  max(CASE WHEN launch.package_name = startup.package THEN launch.ts END) AS own_ts
FROM _startups_ended AS startup
JOIN _startup_events AS launch ON launch.ts >= startup.ts AND launch.ts < startup.ts_end
GROUP BY startup.number;

-- A startup on Android 13 or later. If the launch of another package was merged into it, it starts
-- with its own launch.
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
  -- Type: `cold`, `warm` or `hot`.
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
