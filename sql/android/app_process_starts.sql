-- Apps' processes that the system started, and for what.

-- When the system server asked for each process.
CREATE PERFETTO TABLE _process_start_requests AS
SELECT
  slice.ts,
  slice.dur,
  trim(substr(slice.name, length('Start proc:') + 1)) AS process_name
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE slice.name GLOB 'Start proc:*' AND process.name = 'system_server';

-- The first things that apps' processes do: binding the application, and what they were started
-- for; each with the one before it on its thread.
CREATE PERFETTO TABLE _first_steps AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  slice.track_id,
  slice.name,
  thread.upid,
  process.name AS process_name,
  process.pid,
  lag(slice.id) OVER on_track AS before_id,
  lag(slice.name) OVER on_track AS before_name
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE
  slice.name = 'bindApplication'
  OR slice.name GLOB 'performCreate:*'
  OR slice.name GLOB 'serviceCreate:*'
  OR slice.name GLOB 'broadcastReceiveComp:*'
WINDOW on_track AS (PARTITION BY slice.track_id ORDER BY slice.ts);

-- The applications that were bound, and the step that came next. Those with none were started for
-- a content provider, which leaves no step of its own.
CREATE PERFETTO TABLE _bound_applications AS
SELECT
  bound.id AS bind_id,
  bound.ts AS bind_ts,
  bound.dur AS bind_dur,
  bound.upid,
  bound.pid,
  bound.process_name,
  step.id AS step_id,
  step.track_id AS step_track_id,
  step.ts AS step_ts,
  step.dur AS step_dur,
  CASE
    WHEN step.name IS NULL THEN 'provider'
    WHEN step.name GLOB 'performCreate:*' THEN 'activity'
    WHEN step.name GLOB 'serviceCreate:*' THEN 'service'
    ELSE 'broadcast'
  END AS reason,
  CASE
    WHEN step.name GLOB 'serviceCreate:*'
      THEN nullif(split_part(split_part(step.name, '=', 3), ' ', 1), '')
    ELSE substr(step.name, instr(step.name, ':') + 1)
  END AS intent,
  coalesce(step.ts, bound.ts) AS last_ts,
  coalesce(step.dur, bound.dur) AS last_dur
FROM _first_steps AS bound
LEFT JOIN _first_steps AS step
  ON step.before_id = bound.id AND step.name <> 'bindApplication'
WHERE bound.name = 'bindApplication';

-- A process that was started, and what it was started for.
CREATE PERFETTO TABLE android_app_process_starts(
  -- The slice in which the app was bound, one for every start.
  start_id LONG,
  -- The slice of what it was started for.
  id LONG,
  -- That slice's track.
  track_id JOINID(track.id),
  -- The process.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The process.
  upid JOINID(process.id),
  -- The component or action it was started for; NULL for a content provider.
  intent STRING,
  -- `activity`, `service`, `broadcast` or `provider`.
  reason STRING,
  -- When the system asked for the process.
  proc_start_ts TIMESTAMP,
  -- How long asking took.
  proc_start_dur DURATION,
  -- When binding the app began.
  bind_app_ts TIMESTAMP,
  -- How long it took.
  bind_app_dur DURATION,
  -- When the app began with what it was started for.
  intent_ts TIMESTAMP,
  -- How long that took.
  intent_dur DURATION,
  -- From the system's asking to the end of that.
  total_dur LONG
) AS
SELECT
  bind_id AS start_id,
  step_id AS id,
  step_track_id AS track_id,
  process_name,
  pid,
  upid,
  intent,
  reason,
  request_ts AS proc_start_ts,
  request_dur AS proc_start_dur,
  bind_ts AS bind_app_ts,
  bind_dur AS bind_app_dur,
  step_ts AS intent_ts,
  step_dur AS intent_dur,
  last_ts + last_dur - request_ts AS total_dur
FROM (
  SELECT
    bound.*,
    request.ts AS request_ts,
    request.dur AS request_dur,
    row_number() OVER (PARTITION BY bound.upid ORDER BY request.ts DESC, bound.bind_ts) AS nth
  FROM _bound_applications AS bound
  JOIN _process_start_requests AS request
    ON request.process_name = bound.process_name AND request.ts < bound.last_ts
)
WHERE nth = 1
ORDER BY proc_start_ts;
