-- App startups with their packages, processes, threads and slices.

INCLUDE PERFETTO MODULE android.process_metadata;

INCLUDE PERFETTO MODULE android.startup.startup_events;

INCLUDE PERFETTO MODULE android.startup.startups_maxsdk28;

INCLUDE PERFETTO MODULE android.startup.startups_minsdk29;

INCLUDE PERFETTO MODULE android.startup.startups_minsdk33;

INCLUDE PERFETTO MODULE android.version;

-- Lowest SDK version of the startup format in the trace: by the version of the device or, if that is
-- not recorded, by the slices.
CREATE PERFETTO TABLE _startup_source AS
SELECT
  CASE
    WHEN coalesce(sdk >= 33, numbered > 0) THEN 33
    WHEN coalesce(sdk >= 29, logged > 0) THEN 29
    ELSE 28
  END AS min_sdk
FROM (
  SELECT
    _android_sdk_version() AS sdk,
    count(*) FILTER (WHERE name GLOB 'launchingActivity#*:*') AS numbered,
    count(*) FILTER (WHERE name GLOB 'MetricsLogger:*') AS logged
  FROM slice
  WHERE name GLOB 'launchingActivity#*' OR name GLOB 'MetricsLogger:*'
);

-- Startups in that format.
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

-- Processes of the package of each startup that were alive during it. Matched by the package list;
-- if the trace has none, by a package name that starts with the process name.
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

-- Counts of startup steps on the main thread of each process during each startup.
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

-- A startup with a process that resumed its activity. A startup has one process, unless the process
-- died during the startup and was restarted.
CREATE PERFETTO TABLE android_startup_processes(
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Type: `cold` (the process was created), `warm` (the activity was created) or `hot`.
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

-- Last launch of the package of a startup that began after another launch. The launch before is a
-- trampoline: an activity that only starts another one.
CREATE PERFETTO TABLE _launch_after_trampoline AS
SELECT startup_id, dur
FROM (
  SELECT
    startup.startup_id,
    launch.dur,
    launch.package_name = startup.package AS is_own,
    min(launch.ts) OVER (PARTITION BY startup.startup_id) < launch.ts AS is_later,
    row_number() OVER (
      PARTITION BY startup.startup_id, launch.package_name = startup.package
      ORDER BY launch.ts DESC
    ) AS nth_last
  FROM _startups AS startup
  JOIN _startup_events AS launch ON launch.ts >= startup.ts AND launch.ts < startup.ts_end
)
WHERE is_own AND is_later AND nth_last = 1;

-- A startup of an app.
CREATE PERFETTO VIEW android_startups(
  -- Number of the startup: assigned by the system from Android 13 on, else from 0 in order of time.
  startup_id ID,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- End, ns in trace time.
  ts_end LONG,
  -- Duration, ns.
  dur DURATION,
  -- Duration of the last launch if another activity started it, else `dur`, ns.
  dur_without_trampoline DURATION,
  -- Package name.
  package STRING,
  -- Type: `cold`, `warm` or `hot`; NULL if neither the system nor the processes indicate it.
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
  coalesce(launch.dur, startup.dur) AS dur_without_trampoline,
  startup.package,
  coalesce(startup.startup_type, of_processes.startup_type) AS startup_type
FROM _startups AS startup
LEFT JOIN of_processes ON of_processes.startup_id = startup.startup_id
LEFT JOIN _launch_after_trampoline AS launch ON launch.startup_id = startup.startup_id
ORDER BY startup.ts;

-- A startup with a thread of one of its processes.
CREATE PERFETTO VIEW android_startup_threads(
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id LONG,
  -- Start of the startup, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the startup, ns.
  dur DURATION,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Whether the thread is the main thread of its process.
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

-- A slice on a thread of a process of a startup that started during the startup.
CREATE PERFETTO VIEW android_thread_slices_for_all_startups(
  -- Start of the startup, ns in trace time.
  startup_ts TIMESTAMP,
  -- End of the startup.
  startup_ts_end LONG,
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id LONG,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Whether the thread is the main thread of its process.
  is_main_thread BOOL,
  -- Arguments of the slice; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Name of the slice.
  slice_name STRING,
  -- Start of the slice, ns in trace time.
  slice_ts TIMESTAMP,
  -- Duration of the slice, ns.
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

-- Returns the slices of a startup with a name that matches a pattern.
CREATE PERFETTO FUNCTION android_slices_for_startup_and_slice_name(
  -- Number of the startup.
  startup_id LONG,
  -- GLOB pattern for the slice name.
  slice_name STRING
)
RETURNS TABLE(
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Name of the slice.
  slice_name STRING,
  -- Start, ns in trace time.
  slice_ts TIMESTAMP,
  -- Duration, ns.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Kernel id of the thread.
  tid LONG,
  -- Arguments of the slice; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT slice_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups AS of_startup
WHERE of_startup.startup_id = $startup_id AND of_startup.slice_name GLOB $slice_name;

-- A slice in which a startup loaded a class. Its name is the class descriptor.
CREATE PERFETTO VIEW android_class_loading_for_startup(
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id LONG,
  -- Class descriptor, such as `Lpackage/Class;`.
  slice_name STRING,
  -- Start, ns in trace time.
  slice_ts TIMESTAMP,
  -- Duration, ns.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Kernel id of the thread.
  tid LONG,
  -- Arguments of the slice; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT slice_id, startup_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB 'L*;';

-- Returns the binder calls of a startup that exceed a duration.
CREATE PERFETTO FUNCTION android_binder_transaction_slices_for_startup(
  -- Number of the startup.
  startup_id LONG,
  -- Minimum duration (exclusive), in ns.
  threshold DOUBLE
)
RETURNS TABLE(
  -- Slice of the call; join with `slice` on `id`.
  id LONG,
  -- Duration of the slice, ns.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Name of the process that was called.
  process STRING,
  -- Arguments of the slice; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Whether the calling thread is the main thread of its process.
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

-- Returns the total duration of the slices of a startup with a name that matches a pattern, over
-- all its threads.
CREATE PERFETTO FUNCTION android_sum_dur_for_startup_and_slice(
  -- Number of the startup.
  startup_id LONG,
  -- GLOB pattern for the slice name.
  slice_name STRING
)
-- Total duration in ns; NULL if no slice matches.
RETURNS LONG AS
SELECT sum(of_startup.slice_dur)
FROM android_thread_slices_for_all_startups AS of_startup
WHERE of_startup.startup_id = $startup_id AND of_startup.slice_name GLOB $slice_name;

-- Returns the total duration of the slices of a startup with a name that matches a pattern, on its
-- main threads.
CREATE PERFETTO FUNCTION android_sum_dur_on_main_thread_for_startup_and_slice(
  -- Number of the startup.
  startup_id LONG,
  -- GLOB pattern for the slice name.
  slice_name STRING
)
-- Total duration in ns; NULL if no slice matches.
RETURNS LONG AS
SELECT sum(of_startup.slice_dur)
FROM android_thread_slices_for_all_startups AS of_startup
WHERE
  of_startup.startup_id = $startup_id
  AND of_startup.slice_name GLOB $slice_name
  AND of_startup.is_main_thread = 1;
