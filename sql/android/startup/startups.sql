-- App startups: when, which package, which processes and threads, and what these did.

INCLUDE PERFETTO MODULE android.process_metadata;

INCLUDE PERFETTO MODULE android.startup.startups_maxsdk28;

INCLUDE PERFETTO MODULE android.startup.startups_minsdk29;

INCLUDE PERFETTO MODULE android.startup.startups_minsdk33;

-- Which of the ways to tell startups the trace's version of Android has, told by its slices.
CREATE PERFETTO TABLE _startup_source AS
SELECT
  CASE
    WHEN count(*) FILTER (WHERE name GLOB 'launchingActivity#*:*') > 0 THEN 33
    WHEN count(*) FILTER (WHERE name GLOB 'MetricsLogger:*') > 0 THEN 29
    ELSE 28
  END AS min_sdk
FROM slice
WHERE name GLOB 'launchingActivity#*' OR name GLOB 'MetricsLogger:*';

-- The startups told in that way.
CREATE PERFETTO TABLE _startups AS
SELECT startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_minsdk33
JOIN _startup_source ON min_sdk = 33
UNION ALL
SELECT startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_minsdk29
JOIN _startup_source ON min_sdk = 29
UNION ALL
SELECT startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_maxsdk28
JOIN _startup_source ON min_sdk = 28;

-- The processes that bear the package's name, for every startup in whose course they were alive:
-- by the list of packages, or where the trace has none, by a package name that begins with the
-- process's.
CREATE PERFETTO TABLE _processes_of_package AS
WITH candidates AS (
  SELECT startup.startup_id, startup.ts, startup.ts_end, startup.startup_type, metadata.upid
  FROM _startups AS startup
  JOIN android_process_metadata AS metadata ON metadata.package_name = startup.package
  UNION
  SELECT startup.startup_id, startup.ts, startup.ts_end, startup.startup_type, metadata.upid
  FROM _startups AS startup
  JOIN android_process_metadata AS metadata ON startup.package GLOB metadata.process_name || '*'
  CROSS JOIN (SELECT count(*) AS packages FROM package_list) AS listed
  WHERE listed.packages = 0 AND length(metadata.process_name) > 0
)
SELECT candidates.*, process.pid
FROM candidates
JOIN process USING (upid)
WHERE
  (process.start_ts IS NULL OR process.start_ts < candidates.ts_end)
  AND (process.end_ts IS NULL OR process.end_ts > candidates.ts);

-- What main threads do in the course of every startup.
CREATE PERFETTO TABLE _steps_of_startup AS
SELECT
  candidate.startup_id,
  candidate.upid,
  count(*) FILTER (WHERE slice.name = 'bindApplication') AS bound,
  count(*) FILTER (WHERE slice.name = 'activityStart') AS started,
  count(*) FILTER (WHERE slice.name = 'activityResume') AS resumed
FROM _processes_of_package AS candidate
JOIN thread ON thread.upid = candidate.upid AND thread.is_main_thread = 1
JOIN thread_track AS track ON track.utid = thread.utid
JOIN slice ON slice.track_id = track.id
WHERE
  slice.name IN ('bindApplication', 'activityStart', 'activityResume')
  AND slice.ts >= candidate.ts
  AND slice.ts < candidate.ts_end
GROUP BY candidate.startup_id, candidate.upid;

-- A startup and a process whose activity it resumed: one, unless that died on the way and was
-- started again.
CREATE PERFETTO TABLE android_startup_processes(
  -- The startup.
  startup_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- `cold` (the process was made), `warm` (the activity was) or `hot`.
  startup_type STRING
) AS
WITH typed AS (
  SELECT
    candidate.startup_id,
    candidate.upid,
    candidate.pid,
    CASE
      WHEN candidate.startup_type IS NOT NULL THEN candidate.startup_type
      WHEN step.bound > 0 AND step.started > 0 THEN 'cold'
      WHEN step.started > 0 THEN 'warm'
      ELSE 'hot'
    END AS startup_type
  FROM _processes_of_package AS candidate
  JOIN _steps_of_startup AS step
    ON step.startup_id = candidate.startup_id AND step.upid = candidate.upid
  WHERE step.resumed > 0
)
SELECT startup_id, upid, pid, startup_type
FROM typed
ORDER BY startup_id, upid;

-- A startup of an app.
CREATE PERFETTO VIEW android_startups(
  -- Its number: the system's own from Android 13 on, else in order of time.
  startup_id ID,
  -- When it began.
  ts TIMESTAMP,
  -- When it ended.
  ts_end LONG,
  -- How long it took.
  dur DURATION,
  -- The package.
  package STRING,
  -- `cold`, `warm` or `hot`; NULL where neither the system nor its processes tell.
  startup_type STRING
) AS
WITH of_processes AS (
  SELECT startup_id, max(startup_type) AS startup_type
  FROM android_startup_processes
  GROUP BY startup_id
)
SELECT
  startup.startup_id,
  startup.ts,
  startup.ts_end,
  startup.dur,
  startup.package,
  coalesce(startup.startup_type, of_processes.startup_type) AS startup_type
FROM _startups AS startup
LEFT JOIN of_processes ON of_processes.startup_id = startup.startup_id
ORDER BY startup.ts;

-- A startup and a thread of one of its processes.
CREATE PERFETTO VIEW android_startup_threads(
  -- The startup.
  startup_id LONG,
  -- When the startup began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- The process's number.
  pid LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- The thread's number.
  tid LONG,
  -- The thread's name.
  thread_name STRING,
  -- Whether it is the process's main thread.
  is_main_thread BOOL
) AS
SELECT
  startup.startup_id,
  startup.ts,
  startup.dur,
  taking_part.upid,
  taking_part.pid,
  thread.utid,
  thread.tid,
  thread.name AS thread_name,
  thread.is_main_thread
FROM android_startup_processes AS taking_part
JOIN _startups AS startup ON startup.startup_id = taking_part.startup_id
JOIN thread ON thread.upid = taking_part.upid;

-- A slice on a thread of a startup's processes that began in its course.
CREATE PERFETTO VIEW android_thread_slices_for_all_startups(
  -- When the startup began.
  startup_ts TIMESTAMP,
  -- When the startup ended.
  startup_ts_end LONG,
  -- The startup.
  startup_id LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- The thread's number.
  tid LONG,
  -- The thread's name.
  thread_name STRING,
  -- Whether it is the process's main thread.
  is_main_thread BOOL,
  -- The slice's arguments.
  arg_set_id ARGSETID,
  -- The slice.
  slice_id JOINID(slice.id),
  -- The slice's name.
  slice_name STRING,
  -- When the slice began.
  slice_ts TIMESTAMP,
  -- How long it took.
  slice_dur LONG
) AS
SELECT
  threads.ts AS startup_ts,
  threads.ts + threads.dur AS startup_ts_end,
  threads.startup_id,
  threads.utid,
  threads.tid,
  threads.thread_name,
  threads.is_main_thread,
  slice.arg_set_id,
  slice.id AS slice_id,
  slice.name AS slice_name,
  slice.ts AS slice_ts,
  slice.dur AS slice_dur
FROM android_startup_threads AS threads
JOIN thread_track AS track ON track.utid = threads.utid
JOIN slice ON slice.track_id = track.id
WHERE slice.ts >= threads.ts AND slice.ts < threads.ts + threads.dur;

-- The slices of one startup whose name matches a pattern.
CREATE PERFETTO FUNCTION android_slices_for_startup_and_slice_name(
  -- The startup.
  startup_id LONG,
  -- The pattern, as GLOB has it.
  slice_name STRING
)
RETURNS TABLE(
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its name.
  slice_name STRING,
  -- When it began.
  slice_ts TIMESTAMP,
  -- How long it took.
  slice_dur DURATION,
  -- The thread's name.
  thread_name STRING,
  -- The thread's number.
  tid LONG,
  -- The slice's arguments.
  arg_set_id ARGSETID
) AS
SELECT slice_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups AS of_startup
WHERE of_startup.startup_id = $startup_id AND of_startup.slice_name GLOB $slice_name;

-- A slice in which a startup loaded a class: its name is the class's descriptor.
CREATE PERFETTO VIEW android_class_loading_for_startup(
  -- The slice.
  slice_id JOINID(slice.id),
  -- The startup.
  startup_id LONG,
  -- The class, as `Lpackage/Class;`.
  slice_name STRING,
  -- When it began.
  slice_ts TIMESTAMP,
  -- How long it took.
  slice_dur DURATION,
  -- The thread's name.
  thread_name STRING,
  -- The thread's number.
  tid LONG,
  -- The slice's arguments.
  arg_set_id ARGSETID
) AS
SELECT slice_id, startup_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB 'L*;';

-- The binder calls of one startup that took longer than some time.
CREATE PERFETTO FUNCTION android_binder_transaction_slices_for_startup(
  -- The startup.
  startup_id LONG,
  -- The time, in ns.
  threshold DOUBLE
)
RETURNS TABLE(
  -- The slice.
  id LONG,
  -- How long it took.
  slice_dur DURATION,
  -- The thread's name.
  thread_name STRING,
  -- The process that was called.
  process STRING,
  -- The slice's arguments.
  arg_set_id ARGSETID,
  -- Whether the calling thread is its process's main thread.
  is_main_thread BOOL
) AS
SELECT
  of_startup.slice_id AS id,
  of_startup.slice_dur,
  of_startup.thread_name,
  called.string_value AS process,
  of_startup.arg_set_id,
  of_startup.is_main_thread
FROM android_thread_slices_for_all_startups AS of_startup
LEFT JOIN args AS called
  ON called.arg_set_id = of_startup.arg_set_id AND called.key = 'destination process'
WHERE
  of_startup.startup_id = $startup_id
  AND of_startup.slice_name = 'binder transaction'
  AND of_startup.slice_dur > $threshold;

-- How long the slices of one startup took whose name matches a pattern, over all its threads.
CREATE PERFETTO FUNCTION android_sum_dur_for_startup_and_slice(
  -- The startup.
  startup_id LONG,
  -- The pattern, as GLOB has it.
  slice_name STRING
)
-- In ns; NULL where there are none.
RETURNS LONG AS
SELECT sum(of_startup.slice_dur)
FROM android_thread_slices_for_all_startups AS of_startup
WHERE of_startup.startup_id = $startup_id AND of_startup.slice_name GLOB $slice_name;

-- How long the slices of one startup took whose name matches a pattern, on its main threads.
CREATE PERFETTO FUNCTION android_sum_dur_on_main_thread_for_startup_and_slice(
  -- The startup.
  startup_id LONG,
  -- The pattern, as GLOB has it.
  slice_name STRING
)
-- In ns; NULL where there are none.
RETURNS LONG AS
SELECT sum(of_startup.slice_dur)
FROM android_thread_slices_for_all_startups AS of_startup
WHERE
  of_startup.startup_id = $startup_id
  AND of_startup.slice_name GLOB $slice_name
  AND of_startup.is_main_thread = 1;
