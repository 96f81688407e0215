-- Starts of app processes, with the reason for each start.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Requests of the system server to start a process.
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

-- First steps of an app process: binding the application, and the component it was started for.
-- Each row names the previous step on its thread.
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

-- Bound applications with the step that follows. An application without such a step was started for
-- a content provider, which has no slice.
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

-- The start of an app process, with the reason.
CREATE PERFETTO TABLE android_app_process_starts(
  -- Slice in which the application was bound, unique per start; join with `slice` on `id`.
  start_id LONG,
  -- Slice of the component that the process was started for; NULL for a content provider. Join with
  -- `slice` on `id`.
  id LONG,
  -- Track of the component slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Name of the process.
  process_name STRING,
  -- Kernel id of the process.
  pid LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Component or action that the process was started for; NULL for a content provider.
  intent STRING,
  -- Reason: `activity`, `service`, `broadcast` or `provider`.
  reason STRING,
  -- Time when the system requested the process, ns in trace time.
  proc_start_ts TIMESTAMP,
  -- Duration of the request slice, ns.
  proc_start_dur DURATION,
  -- Start of binding the application, ns in trace time.
  bind_app_ts TIMESTAMP,
  -- Duration of binding the application, ns.
  bind_app_dur DURATION,
  -- Start of the component slice, ns in trace time.
  intent_ts TIMESTAMP,
  -- Duration of the component slice, ns.
  intent_dur DURATION,
  -- Time from the request to the end of the component slice, ns.
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
