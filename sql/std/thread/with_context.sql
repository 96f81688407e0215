-- Threads with their processes.

-- A thread with its process, if known.
CREATE PERFETTO TABLE _thread_with_process(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Whether the thread is the main thread of its process.
  is_main_thread BOOL,
  -- Process of the thread; NULL if unknown. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING
) AS
SELECT
  t.utid, t.tid, t.name AS thread_name, t.is_main_thread, p.upid, p.pid, p.name AS process_name
FROM thread AS t
LEFT JOIN process AS p ON p.upid = t.upid
ORDER BY t.utid;
