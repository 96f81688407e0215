-- Startups of Chrome on Android.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Startup events, with the activity id and the browser process.
CREATE PERFETTO TABLE _chrome_startup_events AS
SELECT
  slice.name,
  slice.ts,
  slice.dur,
  activity.int_value AS activity_id,
  coalesce(cause.string_value, cause.display_value) AS launch_cause,
  coalesce(process_track.upid, thread.upid) AS browser_upid
FROM slice
JOIN args AS activity
  ON activity.arg_set_id = slice.arg_set_id AND activity.key = 'startup.activity_id'
LEFT JOIN args AS cause
  ON cause.arg_set_id = slice.arg_set_id AND cause.key = 'startup.launch_cause'
LEFT JOIN process_track ON process_track.id = slice.track_id
LEFT JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
WHERE
  slice.name IN (
    'Startup.ActivityStart', 'Startup.TimeToFirstVisibleContent2', 'Startup.LaunchCause'
  );

-- A startup of Chrome.
CREATE PERFETTO TABLE chrome_startups(
  -- Number of the startup, in order of time.
  id LONG,
  -- Id of the activity that was launched.
  activity_id LONG,
  -- Always `Startup`.
  name STRING,
  -- Start of the startup, ns in trace time.
  startup_begin_ts TIMESTAMP,
  -- Time when content was first visible, ns in trace time; NULL if not recorded.
  first_visible_content_ts TIMESTAMP,
  -- Cause of the launch; NULL if not recorded.
  launch_cause STRING,
  -- Browser process; join with `process` on `upid`.
  browser_upid LONG
) AS
WITH startups AS (
  SELECT
    activity_id,
    browser_upid,
    min(CASE WHEN name = 'Startup.TimeToFirstVisibleContent2' THEN ts END) AS visible_start_ts,
    min(CASE WHEN name = 'Startup.TimeToFirstVisibleContent2' THEN ts + dur END) AS visible_ts,
    min(CASE WHEN name = 'Startup.ActivityStart' THEN ts END) AS activity_ts,
    min(CASE WHEN name = 'Startup.LaunchCause' THEN launch_cause END) AS launch_cause
  FROM _chrome_startup_events
  GROUP BY activity_id, browser_upid
)
SELECT
  row_number() OVER (ORDER BY coalesce(visible_start_ts, activity_ts)) AS id,
  activity_id,
  'Startup' AS name,
  coalesce(visible_start_ts, activity_ts) AS startup_begin_ts,
  visible_ts AS first_visible_content_ts,
  launch_cause,
  browser_upid
FROM startups
WHERE visible_start_ts IS NOT NULL OR activity_ts IS NOT NULL
ORDER BY 1;
