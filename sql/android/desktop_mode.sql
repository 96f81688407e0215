-- Windows in desktop mode.

INCLUDE PERFETTO MODULE android.statsd;

-- Window events from statsd atoms: a window was added, removed or changed, or the list of windows
-- was reset.
CREATE PERFETTO TABLE _window_atoms AS
SELECT
  atom.id,
  atom.ts,
  max(CASE WHEN arg.key GLOB '*.task_event' THEN arg.string_value END) AS event,
  max(CASE WHEN arg.key GLOB '*.instance_id' THEN arg.int_value END) AS instance_id,
  max(CASE WHEN arg.key GLOB '*.session_id' THEN arg.int_value END) AS session_id,
  max(CASE WHEN arg.key GLOB '*.uid' THEN arg.int_value END) AS uid
FROM android_statsd_atoms AS atom
JOIN args AS arg ON arg.arg_set_id = atom.arg_set_id
WHERE
  atom.name = 'desktop_mode_session_task_update'
  AND arg.key GLOB 'desktop_mode_session_task_update.*'
GROUP BY atom.id, atom.ts;

-- Windows with the times when they were added and removed; NULL where an event was not recorded.
CREATE PERFETTO TABLE _windows_reported AS
SELECT
  added.ts AS raw_add_ts,
  removed.ts AS raw_remove_ts,
  coalesce(added.ts, trace_start()) AS ts,
  coalesce(added.instance_id, removed.instance_id) AS instance_id,
  coalesce(added.uid, removed.uid) AS uid
FROM (SELECT * FROM _window_atoms WHERE event = 'TASK_ADDED') AS added
FULL JOIN (SELECT * FROM _window_atoms WHERE event = 'TASK_REMOVED') AS removed
  ON removed.instance_id = added.instance_id AND removed.session_id = added.session_id;

-- A window in desktop mode.
CREATE PERFETTO TABLE android_desktop_mode_windows(
  -- Time when the window opened, ns in trace time; NULL if not recorded.
  raw_add_ts TIMESTAMP,
  -- Time when the window closed, ns in trace time; NULL if not recorded.
  raw_remove_ts TIMESTAMP,
  -- Time when the window opened, ns in trace time; start of the trace if not recorded.
  ts TIMESTAMP,
  -- Time that the window was open, ns: until it closed, until the list of windows was reset, or
  -- until the end of the trace.
  dur DURATION,
  -- Id of the window instance.
  instance_id LONG,
  -- User id of the app in the window.
  uid LONG
) AS
WITH ends AS (
  SELECT ts FROM _window_atoms WHERE event = 'TASK_INIT_STATSD'
  UNION ALL
  SELECT trace_end() AS ts
),
without_end AS (
  SELECT reported.instance_id, reported.ts, min(ends.ts) AS end_ts
  FROM _windows_reported AS reported
  JOIN ends ON ends.ts > reported.ts
  WHERE reported.raw_remove_ts IS NULL
  GROUP BY reported.instance_id, reported.ts
),
-- A window with change events only was open for the whole trace.
only_changed AS (
  SELECT changed.instance_id, min(changed.uid) AS uid
  FROM _window_atoms AS changed
  LEFT JOIN _windows_reported AS reported ON reported.instance_id = changed.instance_id
  WHERE changed.event = 'TASK_INFO_CHANGED' AND reported.ts IS NULL
  GROUP BY changed.instance_id, changed.session_id
)
SELECT
  reported.raw_add_ts,
  reported.raw_remove_ts,
  reported.ts,
  coalesce(reported.raw_remove_ts, without_end.end_ts) - reported.ts AS dur,
  reported.instance_id,
  reported.uid
FROM _windows_reported AS reported
LEFT JOIN without_end ON without_end.instance_id = reported.instance_id AND without_end.ts = reported.ts
UNION ALL
SELECT
  CAST(NULL AS BIGINT) AS raw_add_ts,
  CAST(NULL AS BIGINT) AS raw_remove_ts,
  trace_start() AS ts,
  trace_end() - trace_start() AS dur,
  instance_id,
  uid
FROM only_changed
ORDER BY ts;
