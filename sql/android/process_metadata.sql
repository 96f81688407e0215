-- Processes with the Android packages they belong to.

-- The packages, where the trace holds the list of them, each with how many share its app id.
CREATE PERFETTO TABLE _packages AS
SELECT uid, package_name, version_code, debuggable, count(*) OVER (PARTITION BY uid) AS sharing
FROM package_list;

-- The package of each process: one of its app id, by name where several share it; and for isolated
-- processes, whose ids no package has, by name alone. Of several candidates, the one whose name
-- says most of the process's.
CREATE PERFETTO TABLE _package_of_process AS
WITH candidates AS (
  SELECT process.upid, package.*
  FROM process
  JOIN _packages AS package ON package.uid = process.android_appid
  WHERE package.sharing = 1 OR process.name GLOB package.package_name || '*'
  UNION ALL
  SELECT process.upid, package.*
  FROM process
  JOIN _packages AS package ON process.name GLOB package.package_name || '*'
  WHERE process.android_appid BETWEEN 90000 AND 99999
)
SELECT upid, package_name, version_code, debuggable
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY upid ORDER BY length(package_name) DESC, package_name) AS nth
  FROM candidates
)
WHERE nth = 1;

-- The processes that are tasks of the kernel: the idle one, and children of it or of `kthreadd`.
CREATE PERFETTO TABLE _android_kernel_tasks(
  -- The process.
  upid LONG
) AS
SELECT task.upid
FROM process AS task
LEFT JOIN process AS parent ON parent.upid = task.parent_upid
WHERE task.pid = 0 OR parent.pid = 0 OR parent.name = 'kthreadd';

-- Whether a process is a task of the kernel.
CREATE PERFETTO FUNCTION android_is_kernel_task(
  -- The process.
  upid LONG
)
-- 1 where it is, else 0.
RETURNS BOOL AS
SELECT count(*) > 0
FROM _android_kernel_tasks
WHERE _android_kernel_tasks.upid = $upid;

-- A process, and what is known of its package.
CREATE PERFETTO TABLE android_process_metadata(
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- Its name; where the kernel's 15 letters were all that was kept, the longer one of its command
  -- line.
  process_name STRING,
  -- The app id, without the part that tells the user of the device.
  uid LONG,
  -- 1 where several packages share that id, else NULL.
  shared_uid BOOL,
  -- The user of the device.
  user_id LONG,
  -- The package.
  package_name STRING,
  -- The package's version code.
  version_code LONG,
  -- Whether the package may be debugged.
  debuggable LONG,
  -- Whether this is a task of the kernel.
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
  CASE WHEN shared.uid IS NOT NULL THEN 1 END AS shared_uid,
  process.android_user_id AS user_id,
  package.package_name,
  package.version_code,
  package.debuggable,
  kernel.upid IS NOT NULL AS is_kernel_task
FROM process
LEFT JOIN (SELECT DISTINCT uid FROM _packages WHERE sharing > 1) AS shared
  ON shared.uid = process.android_appid
LEFT JOIN _package_of_process AS package ON package.upid = process.upid
LEFT JOIN _android_kernel_tasks AS kernel ON kernel.upid = process.upid
ORDER BY process.upid;

-- The process that had a number at a moment: of those that bore it, one that was alive then, else
-- the last one. Takes events with `event_id`, `pid` and `ts`, gives `event_id` and `upid`.
CREATE PERFETTO MACRO _android_process_of_pid(
  -- The events.
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
