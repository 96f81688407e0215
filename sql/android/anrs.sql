-- ANRs: apps that did not respond.

INCLUDE PERFETTO MODULE android.process_metadata;

-- Type of ANR by patterns of the report subject. If several patterns match, the one with the lowest
-- rank applies.
CREATE PERFETTO TABLE _anr_subject_patterns AS
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

-- Timeout of each type of ANR in the Android Open Source Project, and a regular expression for the
-- component in the subject.
CREATE PERFETTO TABLE _anr_types AS
SELECT column1 AS anr_type, column2 AS default_anr_dur_ms, column3 AS component_pattern
FROM (
  VALUES
    ('BIND_APPLICATION', 15000, NULL),
    -- The timeout of a broadcast in the background; in the foreground it is 10 s.
    ('BROADCAST_OF_INTENT', 60000, ' cmp=([^ ]*)'),
    ('EXECUTING_SERVICE', 20000, 'executing service ([^,]*)'),
    ('FOREGROUND_SERVICE_TIMEOUT', 30000, 'ComponentInfo\{([^}]*)'),
    ('FOREGROUND_SHORT_SERVICE_TIMEOUT', 180000, 'ComponentInfo\{([^}]*)'),
    ('INPUT_DISPATCHING_TIMEOUT', 5000, '\([^ ]* ([^ ]*)'),
    ('INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW', 5000, NULL),
    ('JOB_SERVICE_BIND', 8000, NULL),
    ('JOB_SERVICE_NOTIFICATION_NOT_PROVIDED', 8000, NULL),
    ('JOB_SERVICE_START', 8000, NULL),
    ('JOB_SERVICE_STOP', 8000, NULL),
    ('START_FOREGROUND_SERVICE', 30000, ' u[0-9]+ ([^ }]*)'),
    ('APP_TRIGGERED', NULL, 'App requested: (.*)')
);

-- Types of ANR by the names of the system's timers. The timer `JobScheduler` is of several types.
CREATE PERFETTO TABLE _anr_timer_types AS
SELECT column1 AS timer_type, column2 AS anr_type
FROM (
  VALUES
    ('BROADCAST_TIMEOUT', 'BROADCAST_OF_INTENT'),
    ('JobScheduler', NULL),
    ('SERVICE_FOREGROUND_TIMEOUT', 'FOREGROUND_SERVICE_TIMEOUT'),
    ('SERVICE_TIMEOUT', 'EXECUTING_SERVICE'),
    ('SHORT_FGS_TIMEOUT', 'FOREGROUND_SHORT_SERVICE_TIMEOUT')
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

-- Subject and type of each report, by report id. The type is NULL if no pattern matches.
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
  LEFT JOIN _anr_subject_patterns AS types ON subjects.subject GLOB types.pattern
  GROUP BY subjects.error_id, subjects.subject
)
SELECT typed.error_id, typed.subject, types.anr_type
FROM typed
LEFT JOIN _anr_subject_patterns AS types ON types.rank = typed.rank;

-- Reports of ANRs: a value of a counter track
-- `ErrorId:<process name>[ <pid>]#<report id>`.
CREATE PERFETTO TABLE _anr_reports AS
SELECT
  counter.id AS event_id,
  split_part(substr(split_part(track.name, '#', 1), length('ErrorId:') + 1), ' ', 1)
    AS process_name,
  CAST(nullif(split_part(split_part(track.name, '#', 1), ' ', 2), '') AS BIGINT) AS pid,
  split_part(track.name, '#', 2) AS error_id,
  counter.ts
FROM _anr_tracks AS track
JOIN counter ON counter.track_id = track.id
WHERE track.name GLOB 'ErrorId:*';

-- The last timer of the process that expired before each report, a slice
-- `expired(<timer id>,<pid>,<uid>,<type>,<duration in ms>)`.
CREATE PERFETTO TABLE _anr_timer_of_report AS
WITH timers AS (
  SELECT
    ts,
    CAST(nullif(split_part(name, ',', 2), '') AS BIGINT) AS pid,
    split_part(name, ',', 4) AS timer_type,
    CAST(nullif(split_part(split_part(name, ',', 5), ')', 1), '') AS BIGINT) AS dur_ms
  FROM slice
  WHERE name GLOB 'expired(*,*,*,*,*)'
)
SELECT event_id, ts, timer_type, dur_ms
FROM (
  SELECT
    report.event_id,
    timer.*,
    row_number() OVER (PARTITION BY report.event_id ORDER BY timer.ts DESC) AS nth
  FROM _anr_reports AS report
  JOIN timers AS timer ON timer.pid = report.pid AND timer.ts <= report.ts
)
WHERE nth = 1;

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
  -- Type of the cause, such as `INPUT_DISPATCHING_TIMEOUT`; NULL without a subject and a timer.
  anr_type STRING,
  -- Cause of the ANR, as text from the system.
  subject STRING,
  -- Action or, without an action, component of the broadcast; NULL if the cause is none.
  intent STRING,
  -- Component in the subject; NULL if the type has none.
  component STRING,
  -- Time from the expiry of the system's timer to the report, ns; NULL if no timer is recorded.
  timer_delay LONG,
  -- Time that the app had to respond, ms, from the timer or the subject; NULL if unknown.
  anr_dur_ms LONG,
  -- Time that an app has to respond in the Android Open Source Project, ms; NULL if the type has no
  -- timeout. Devices can differ.
  default_anr_dur_ms LONG
) AS
WITH anrs AS (
  SELECT
    report.process_name,
    report.pid,
    found.upid,
    report.error_id,
    report.ts,
    coalesce(
      -- A timer that is not in the table has the name of the type.
      CASE WHEN known.timer_type IS NULL THEN timer.timer_type ELSE known.anr_type END,
      subject.anr_type,
      CASE
        WHEN subject.subject IS NULL THEN NULL
        WHEN report.process_name = 'system_server' THEN 'SYSTEM_SERVER_WATCHDOG_TIMEOUT'
        ELSE 'UNKNOWN_ANR_TYPE'
      END
    ) AS anr_type,
    subject.subject,
    report.ts - timer.ts AS timer_delay,
    coalesce(
      timer.dur_ms,
      CAST(regexp_extract(subject.subject, 'Blocked in.* for ([0-9]+)s') AS BIGINT) * 1000
    ) AS anr_dur_ms
  FROM _anr_reports AS report
  LEFT JOIN _anr_subjects AS subject ON subject.error_id = report.error_id
  LEFT JOIN _anr_timer_of_report AS timer ON timer.event_id = report.event_id
  LEFT JOIN _anr_timer_types AS known ON known.timer_type = timer.timer_type
  LEFT JOIN _android_process_of_pid!(_anr_reports) AS found ON found.event_id = report.event_id
)
SELECT
  anrs.process_name,
  anrs.pid,
  anrs.upid,
  anrs.error_id,
  anrs.ts,
  anrs.anr_type,
  anrs.subject,
  CASE
    WHEN anrs.anr_type = 'BROADCAST_OF_INTENT' THEN coalesce(
      regexp_extract(anrs.subject, '^Broadcast of Intent .*act=([^ ]*)'),
      regexp_extract(anrs.subject, '^Broadcast of (.*)/u')
    )
  END AS intent,
  regexp_extract(anrs.subject, types.component_pattern) AS component,
  anrs.timer_delay,
  anrs.anr_dur_ms,
  CASE
    -- The flag 0x10000000 marks a foreground broadcast. A broadcast without flags counts as one.
    WHEN
      anrs.anr_type = 'BROADCAST_OF_INTENT'
      AND coalesce(unhex(regexp_extract(anrs.subject, ' flg=([^ ]*)')) & 0x10000000, 1) != 0
      THEN 10000
    ELSE types.default_anr_dur_ms
  END AS default_anr_dur_ms
FROM anrs
LEFT JOIN _anr_types AS types ON types.anr_type = anrs.anr_type;
