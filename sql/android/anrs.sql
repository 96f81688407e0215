-- ANRs: apps that did not respond.

-- Type of ANR by patterns of the report subject. If several patterns match, the one with the lowest
-- rank applies.
CREATE PERFETTO TABLE _anr_types AS
SELECT column1 AS rank, column2 AS pattern, column3 AS anr_type
FROM (
  VALUES
    (1, 'Broadcast of*', 'BROADCAST_OF_INTENT'),
    (2, 'Input dispatching timed out*does not have a focused window*',
      'INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW'),
    (3, 'Input dispatching timed out*Waiting because no window has focus but there is a focused application*',
      'INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW'),
    (4, 'Input dispatching timed out*', 'INPUT_DISPATCHING_TIMEOUT'),
    (5, 'Context.startForegroundService() did not then call Service.startForeground()*',
      'START_FOREGROUND_SERVICE'),
    (6, 'executing service*', 'EXECUTING_SERVICE'),
    (7, 'ContentProvider not responding*', 'CONTENT_PROVIDER_NOT_RESPONDING'),
    (8, 'App requested: Buffer processing hung up due to stuck fence. Indicates GPU hang',
      'GPU_HANG'),
    (9, 'No response to onStartJob*', 'JOB_SERVICE_START'),
    (10, 'No response to onStopJob*', 'JOB_SERVICE_STOP'),
    (11, 'Timed out while trying to bind*', 'JOB_SERVICE_BIND'),
    (12, 'Process ProcessRecord{*} failed to complete startup', 'BIND_APPLICATION'),
    (13, 'A foreground service of FOREGROUND_SERVICE_TYPE_SHORT_SERVICE did not stop within a timeout*',
      'FOREGROUND_SHORT_SERVICE_TIMEOUT'),
    (14, 'A foreground service of type*', 'FOREGROUND_SERVICE_TIMEOUT'),
    (15, 'App requested: *', 'APP_TRIGGERED'),
    (16, 'required notification not provided*', 'JOB_SERVICE_NOTIFICATION_NOT_PROVIDED')
);

-- Counter tracks with which the system server reports an ANR: one names the process and the report
-- id, another names the subject for that id.
CREATE PERFETTO TABLE _anr_tracks AS
SELECT track.id, track.name
FROM process_counter_track AS track
JOIN process ON process.upid = track.upid
WHERE
  process.name = 'system_server'
  AND (track.name GLOB 'ErrorId:*#*' OR track.name GLOB 'Subject(for ErrorId *):*');

-- Subject and type of each report, by report id.
CREATE PERFETTO TABLE _anr_subjects AS
WITH subjects AS (
  SELECT
    split_part(substr(name, length('Subject(for ErrorId ') + 1), ')', 1) AS error_id,
    substr(name, instr(name, '):') + 2) AS subject
  FROM _anr_tracks
  WHERE name GLOB 'Subject(for ErrorId *'
),
typed AS (
  SELECT subjects.error_id, subjects.subject, min(types.rank) AS rank
  FROM subjects
  LEFT JOIN _anr_types AS types ON subjects.subject GLOB types.pattern
  GROUP BY subjects.error_id, subjects.subject
)
SELECT typed.error_id, typed.subject, coalesce(types.anr_type, 'UNKNOWN_ANR_TYPE') AS anr_type
FROM typed
LEFT JOIN _anr_types AS types ON types.rank = typed.rank;

-- An ANR: an app did not respond.
CREATE PERFETTO VIEW android_anrs(
  -- Name of the process.
  process_name STRING,
  -- Kernel id of the process; NULL if the system did not report it.
  pid LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Id of the error report, a UUID.
  error_id STRING,
  -- Time of the report, ns in trace time.
  ts TIMESTAMP,
  -- Cause of the ANR, as text from the system.
  subject STRING,
  -- Type of the cause, such as `INPUT_DISPATCHING_TIMEOUT`.
  anr_type STRING
) AS
WITH reports AS (
  SELECT
    split_part(substr(split_part(track.name, '#', 1), length('ErrorId:') + 1), ' ', 1)
      AS process_name,
    CAST(nullif(split_part(split_part(track.name, '#', 1), ' ', 2), '') AS BIGINT) AS pid,
    split_part(track.name, '#', 2) AS error_id,
    counter.ts
  FROM _anr_tracks AS track
  JOIN counter ON counter.track_id = track.id
  WHERE track.name GLOB 'ErrorId:*'
)
SELECT
  report.process_name,
  report.pid,
  process.upid,
  report.error_id,
  report.ts,
  subject.subject,
  subject.anr_type
FROM reports AS report
LEFT JOIN _anr_subjects AS subject ON subject.error_id = report.error_id
LEFT JOIN process ON process.pid = report.pid;
