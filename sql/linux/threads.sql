-- Kernel threads.

-- A kernel thread: a thread of `kthreadd` (pid 2) or of a process that it started.
CREATE PERFETTO TABLE linux_kernel_threads(
  -- Process of the thread; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the process.
  pid LONG,
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- Name of the thread.
  thread_name STRING,
  -- Machine of the thread; join with `machine` on `id`.
  machine_id LONG
) AS
SELECT
  p.upid, t.utid, p.pid, t.tid, p.name AS process_name, t.name AS thread_name, p.machine_id
FROM process AS p
JOIN thread AS t ON t.upid = p.upid
LEFT JOIN process AS starter ON starter.upid = p.parent_upid
WHERE p.pid = 2 OR starter.pid = 2;
