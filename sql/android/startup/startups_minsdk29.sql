-- Startups on Android 10 to 12: the metrics logger records when an intent arrives and when its
-- launch finishes, and the launch slice is between the two.

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- Arrivals of intents, with the time of the next one. Events before the next intent belong to this
-- intent.
CREATE PERFETTO TABLE _intents AS
SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) AS next_ts
FROM slice
WHERE name = 'MetricsLogger:launchObserverNotifyIntentStarted';

-- Intents of which the system finished a launch.
CREATE PERFETTO TABLE _finished_intents AS
SELECT DISTINCT intent.ts
FROM _intents AS intent
JOIN slice
  ON slice.name = 'MetricsLogger:launchObserverNotifyActivityLaunchFinished'
  AND slice.ts BETWEEN intent.ts AND intent.next_ts;

-- A startup on Android 10 to 12: from an intent to the end of its launch. An intent with several
-- launches, or without a finished one, is no startup.
CREATE PERFETTO TABLE _startups_minsdk29(
  -- Number of the startup from 0, in order of time.
  startup_id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Package name.
  package STRING,
  -- Always NULL: these versions do not record the type.
  startup_type STRING
) AS
WITH launches AS (
  SELECT
    intent.ts, intent.next_ts, launch.ts_end, launch.package_name,
    count(*) OVER (PARTITION BY intent.ts) AS launches
  FROM _intents AS intent
  JOIN _startup_events AS launch ON launch.ts BETWEEN intent.ts AND intent.next_ts
)
SELECT
  row_number() OVER (ORDER BY launch.ts) - 1 AS startup_id,
  launch.ts,
  launch.ts_end,
  launch.ts_end - launch.ts AS dur,
  launch.package_name AS package,
  CAST(NULL AS TEXT) AS startup_type
FROM launches AS launch
JOIN _finished_intents AS finished ON finished.ts = launch.ts
WHERE launch.launches = 1 AND launch.ts_end BETWEEN launch.ts AND launch.next_ts;
