-- Time slices of CPUs with names of threads and processes.

-- A span in which a CPU ran a thread.
CREATE PERFETTO VIEW sched_with_thread_process(
  -- Id of the time slice; join with `sched` on `id`.
  id ID(sched.id),
  -- Time when the CPU switched to the thread, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the trace ends while the thread runs.
  dur DURATION,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Process of the thread; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the thread.
  thread_name STRING,
  -- Name of the process.
  process_name STRING,
  -- CPU number, as in `sched.cpu`.
  cpu LONG,
  -- State of the thread after the switch.
  end_state STRING,
  -- Kernel priority of the thread; a lower value runs first.
  priority LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.utid, t.upid, t.name AS thread_name, p.name AS process_name,
  s.cpu, s.end_state, s.priority
FROM sched AS s
JOIN thread AS t ON t.utid = s.utid
LEFT JOIN process AS p ON p.upid = t.upid;
