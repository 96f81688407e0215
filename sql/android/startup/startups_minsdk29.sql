-- Startups as Android 10 to 12 tell them: the metrics logger notes when an intent arrives and when
-- its launch is finished, and the launch lies between.

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- The notes, each with the time of the next intent: what happens before that belongs to this one.
CREATE PERFETTO TABLE _intents AS
SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) AS next_ts
FROM slice
WHERE name = 'MetricsLogger:launchObserverNotifyIntentStarted';

-- The launches that began after each intent and ended before the next one.
CREATE PERFETTO TABLE _launches_of_intent AS
SELECT intent.ts AS intent_ts, intent.next_ts, launch.*
FROM _intents AS intent
JOIN _startup_events AS launch
  ON launch.ts BETWEEN intent.ts AND intent.next_ts
  AND launch.ts_end BETWEEN intent.ts AND intent.next_ts;

-- A startup: of such launches, those in whose intent's time exactly one launch was finished.
CREATE PERFETTO TABLE _startups_minsdk29(
  -- Its number, in order of time.
  startup_id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- When it ended.
  ts_end TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The package.
  package STRING,
  -- Not told by these versions: NULL.
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
