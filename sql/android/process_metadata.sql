-- Processes with their Android packages.

INCLUDE PERFETTO MODULE android.user_list;

-- App ids of processes, and the ids in the package list that they stand for: SDK sandboxes (from
-- 20000) and private compute (from 30000) have numbers of their own for each app (from 10000).
CREATE PERFETTO VIEW _app_ids AS
SELECT
  upid,
  name AS process_name,
  android_appid,
  CASE
    WHEN android_appid BETWEEN 20000 AND 39999 THEN 10000 + android_appid % 10000
    ELSE android_appid
  END AS package_appid
FROM process;

-- Packages, if the trace has a package list, with the number of packages that share the uid.
CREATE PERFETTO TABLE _packages AS
SELECT uid, package_name, version_code, debuggable, count(*) OVER (PARTITION BY uid) AS sharing
FROM package_list;

-- Package of each process. A process has the package of its app id; if several packages share the
-- id, the name of the process must match. Isolated processes have no package id and match by name
-- only. Of several candidates, the one with the longest matching name counts.
CREATE PERFETTO TABLE _package_of_process AS
WITH candidates AS (
  SELECT app.upid, package.*
  FROM _app_ids AS app
  JOIN _packages AS package ON package.uid = app.package_appid
  WHERE package.sharing = 1 OR app.process_name GLOB package.package_name || '*'
  UNION ALL
  SELECT app.upid, package.*
  FROM _app_ids AS app
  JOIN _packages AS package ON app.process_name GLOB package.package_name || '*'
  WHERE app.android_appid BETWEEN 90000 AND 99999
)
SELECT upid, package_name, version_code, debuggable
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY upid ORDER BY length(package_name) DESC, package_name) AS nth
  FROM candidates
)
WHERE nth = 1;

-- Processes that are kernel tasks: the idle process, and children of it or of `kthreadd`.
CREATE PERFETTO TABLE _android_kernel_tasks(
  -- Process; join with `process` on `upid`.
  upid LONG
) AS
SELECT task.upid
FROM process AS task
LEFT JOIN process AS parent ON parent.upid = task.parent_upid
WHERE task.pid = 0 OR parent.pid = 0 OR parent.name = 'kthreadd';

-- Tests whether a process is a kernel task.
CREATE PERFETTO FUNCTION android_is_kernel_task(
  -- Process; join with `process` on `upid`.
  upid LONG
)
-- 1 if the process is a kernel task, else 0.
RETURNS BOOL AS
SELECT count(*) > 0
FROM _android_kernel_tasks
WHERE _android_kernel_tasks.upid = $upid;

-- A process with details of its package.
CREATE PERFETTO TABLE android_process_metadata(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Name of the process. If the kernel truncated the name to 15 characters, the full name from the
  -- command line.
  process_name STRING,
  -- App id of the process, without the Android user id.
  uid LONG,
  -- Android user id.
  user_id LONG,
  -- Kind of the Android user, such as `SECONDARY` or `GUEST`; NULL if unknown.
  user_type STRING,
  -- 1 if several packages share the app id, else NULL.
  shared_uid BOOL,
  -- Package name; NULL if unknown.
  package_name STRING,
  -- Version code of the package; NULL if unknown.
  version_code LONG,
  -- Whether the package is debuggable; NULL if unknown.
  debuggable LONG,
  -- Whether the process is a kernel task.
  is_kernel_task BOOL
) AS
SELECT
  process.upid,
  process.pid,
  CASE
    WHEN length(process.name) = 15 AND (
      process.cmdline IN ('zygote', 'zygote64', '<pre-initialized>')
      OR process.cmdline GLOB '*' || process.name
    ) THEN process.cmdline
    ELSE process.name
  END AS process_name,
  process.android_appid AS uid,
  process.android_user_id AS user_id,
  user.type AS user_type,
  CASE WHEN shared.uid IS NOT NULL THEN 1 END AS shared_uid,
  package.package_name,
  package.version_code,
  package.debuggable,
  kernel.upid IS NOT NULL AS is_kernel_task
FROM process
JOIN _app_ids AS app ON app.upid = process.upid
LEFT JOIN (SELECT DISTINCT uid FROM _packages WHERE sharing > 1) AS shared
  ON shared.uid = app.package_appid
-- A recorder can list the users repeatedly.
LEFT JOIN (SELECT android_user_id, max(type) AS type FROM android_user_list GROUP BY 1) AS user
  ON user.android_user_id = process.android_user_id
LEFT JOIN _package_of_process AS package ON package.upid = process.upid
LEFT JOIN _android_kernel_tasks AS kernel ON kernel.upid = process.upid
ORDER BY process.upid;

-- Finds the process with a pid at a time: of the processes with the pid, one that was alive, else
-- the last one. Input: events with `event_id`, `pid` and `ts`. Output: `event_id` and `upid`.
CREATE PERFETTO MACRO _android_process_of_pid(
  -- Events with `event_id`, `pid` and `ts`.
  events TableOrSubquery
)
RETURNS TableOrSubquery AS (
  SELECT event_id, upid
  FROM (
    SELECT
      event.event_id,
      process.upid,
      row_number() OVER (
        PARTITION BY event.event_id
        ORDER BY
          CASE
            WHEN event.ts < process.start_ts OR event.ts > process.end_ts THEN 1
            ELSE 0
          END,
          process.upid DESC
      ) AS nth
    FROM $events AS event
    JOIN process ON process.pid = event.pid
  )
  WHERE nth = 1
);
