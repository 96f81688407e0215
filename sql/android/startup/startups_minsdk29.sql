-- Startups on Android 10 to 12: the metrics logger records when an intent arrives and when its
-- launch finishes, and the launch slice is between the two.

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- Arrivals of intents, with the time of the next one. Events before the next intent belong to this
-- intent.
CREATE PERFETTO TABLE _intents AS
SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) AS next_ts
FROM slice
WHERE name = 'MetricsLogger:launchObserverNotifyIntentStarted';

-- Launches that started after each intent and ended before the next intent.
CREATE PERFETTO TABLE _launches_of_intent AS
SELECT intent.ts AS intent_ts, intent.next_ts, launch.*
FROM _intents AS intent
JOIN _startup_events AS launch
  ON launch.ts BETWEEN intent.ts AND intent.next_ts
  AND launch.ts_end BETWEEN intent.ts AND intent.next_ts;

-- A startup on Android 10 to 12: a launch of an intent with exactly one finished launch.
CREATE PERFETTO TABLE _startups_minsdk29(
  -- Number of the startup, in order of time.
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
WITH finished AS (
  SELECT intent.ts, count(*) AS launches
  FROM _intents AS intent
  JOIN slice
    ON slice.name = 'MetricsLogger:launchObserverNotifyActivityLaunchFinished'
    AND slice.ts BETWEEN intent.ts AND intent.next_ts
  GROUP BY intent.ts
)
SELECT
  row_number() OVER (ORDER BY launch.ts) AS startup_id,
  launch.ts,
  launch.ts_end,
  launch.dur,
  launch.package_name AS package,
  CAST(NULL AS TEXT) AS startup_type
FROM _launches_of_intent AS launch
JOIN finished ON finished.ts = launch.intent_ts AND finished.launches = 1;
