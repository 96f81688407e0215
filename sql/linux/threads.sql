-- Threads of the kernel itself.

-- A thread of the kernel: of `kthreadd`, whose pid is 2, or of what it started.
CREATE PERFETTO TABLE linux_kernel_threads(
  -- Its process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- The kernel's number for the process.
  pid LONG,
  -- The kernel's number for the thread.
  tid LONG,
  -- The process's name.
  process_name STRING,
  -- The thread's name.
  thread_name STRING,
  -- The machine it runs on.
  machine_id LONG
) AS
SELECT
  p.upid, t.utid, p.pid, t.tid, p.name AS process_name, t.name AS thread_name, p.machine_id
FROM process AS p
JOIN thread AS t ON t.upid = p.upid
LEFT JOIN process AS starter ON starter.upid = p.parent_upid
WHERE p.pid = 2 OR starter.pid = 2;
