-- User switches in cars (Android Automotive).

INCLUDE PERFETTO MODULE android.startup.startups;

-- Latest start of a user other than user 10, from the slice `UserController.startUser-<user>-…`.
CREATE PERFETTO TABLE _latest_user_start AS
SELECT name, ts, split_part(name, '-', 2) AS user_id
FROM slice
WHERE
  name GLOB 'UserController.startUser*'
  AND name NOT GLOB 'UserController.startUser-10*'
ORDER BY ts DESC
LIMIT 1;

-- The time from the latest start of a user to a later event: the end of an app startup, or the end
-- of the stop of user 10.
CREATE PERFETTO TABLE android_auto_multiuser_timing(
  -- Id of the started user.
  event_start_user_id STRING,
  -- Start of the user, ns in trace time.
  event_start_time LONG,
  -- Time of the later event, ns in trace time.
  event_end_time LONG,
  -- Later event: the package of the startup, or the name of the slice that stops the user.
  event_end_name STRING,
  -- Name of the slice that starts the user.
  event_start_name STRING,
  -- Time between the two, ns.
  duration LONG
) AS
WITH ends AS (
  SELECT ts_end AS ts, package AS name
  FROM android_startups
  UNION
  SELECT ts + dur AS ts, name
  FROM slice
  WHERE name GLOB 'finishUserStopped-10*'
)
SELECT
  started.user_id AS event_start_user_id,
  started.ts AS event_start_time,
  ends.ts AS event_end_time,
  ends.name AS event_end_name,
  started.name AS event_start_name,
  ends.ts - started.ts AS duration
FROM ends
JOIN _latest_user_start AS started ON ends.ts > started.ts
ORDER BY ends.ts, ends.name;

-- CPU time of the processes of user 10 until each event.
CREATE PERFETTO TABLE _user_10_cpu_time AS
SELECT event.event_end_time, event.event_end_name, sum(greatest(sched.dur, 0)) AS total_cpu_time
FROM android_auto_multiuser_timing AS event
JOIN sched ON sched.ts BETWEEN event.event_start_time AND event.event_end_time
JOIN thread ON thread.utid = sched.utid
JOIN process ON process.upid = thread.upid
WHERE (process.uid - process.android_appid) / 100000 = 10
GROUP BY event.event_end_time, event.event_end_name;

-- Memory that the processes of user 10 added until each event: all increases of their resident
-- memory. Decreases do not count.
CREATE PERFETTO TABLE _user_10_memory AS
WITH changes AS (
  SELECT
    event.event_end_time,
    event.event_end_name,
    counter.value - lag(counter.value) OVER (
      PARTITION BY event.event_end_time, event.event_end_name, process.name ORDER BY counter.ts
    ) AS added
  FROM android_auto_multiuser_timing AS event
  JOIN counter ON counter.ts BETWEEN event.event_start_time AND event.event_end_time
  JOIN process_counter_track AS track ON track.id = counter.track_id
  JOIN process ON process.upid = track.upid
  WHERE track.name = 'mem.rss' AND (process.uid - process.android_appid) / 100000 = 10
)
SELECT event_end_time, event_end_name, CAST(sum(added) / 1000 AS BIGINT) AS total_memory_usage_kb
FROM changes
WHERE added > 0
GROUP BY event_end_time, event_end_name;

-- Like `android_auto_multiuser_timing`, with the resources that user 10 used in the time.
CREATE PERFETTO VIEW android_auto_multiuser_timing_with_previous_user_resource_usage(
  -- Id of the started user.
  event_start_user_id STRING,
  -- Start of the user, ns in trace time.
  event_start_time LONG,
  -- Time of the later event, ns in trace time.
  event_end_time LONG,
  -- Later event: the package of the startup, or the name of the slice that stops the user.
  event_end_name STRING,
  -- Name of the slice that starts the user.
  event_start_name STRING,
  -- Time between the two, ns.
  duration LONG,
  -- Id of the previous user, 10; NULL if none of its threads ran.
  user_id LONG,
  -- CPU time of the previous user, ns.
  total_cpu_time LONG,
  -- Memory that the processes of the previous user added, in units of 1,000 bytes.
  total_memory_usage_kb LONG
) AS
SELECT
  event.event_start_user_id,
  event.event_start_time,
  event.event_end_time,
  event.event_end_name,
  event.event_start_name,
  event.duration,
  CASE WHEN running.total_cpu_time IS NOT NULL THEN 10 END AS user_id,
  running.total_cpu_time,
  memory.total_memory_usage_kb
FROM android_auto_multiuser_timing AS event
LEFT JOIN _user_10_cpu_time AS running
  ON running.event_end_time = event.event_end_time
  AND running.event_end_name IS NOT DISTINCT FROM event.event_end_name
LEFT JOIN _user_10_memory AS memory
  ON memory.event_end_time = event.event_end_time
  AND memory.event_end_name IS NOT DISTINCT FROM event.event_end_name;
