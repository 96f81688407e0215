-- What ran on the CPUs, with names of threads and processes.

-- A stretch of time in which a thread ran on a CPU.
CREATE PERFETTO VIEW sched_with_thread_process(
  -- The row's id in `sched`.
  id ID(sched.id),
  -- When it began to run.
  ts TIMESTAMP,
  -- How long it ran; -1 when that was not seen.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id),
  -- Its name.
  thread_name STRING,
  -- Its process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- The CPU it ran on.
  cpu LONG,
  -- The state it went to.
  end_state STRING,
  -- The priority it ran with.
  priority LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.utid, t.name AS thread_name, t.upid, p.name AS process_name,
  s.cpu, s.end_state, s.priority
FROM sched AS s
JOIN thread AS t ON t.utid = s.utid
LEFT JOIN process AS p ON p.upid = t.upid;
