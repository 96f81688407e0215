-- A thread. The kernel reuses tids, so `utid` identifies a thread and `tid` does not.
CREATE PERFETTO VIEW thread(
  -- Same as `utid`.
  id ID,
  -- Thread, unique across the trace; other tables refer to a thread by this id.
  utid ID,
  -- Kernel id of the thread; reused after the thread exits.
  tid LONG,
  -- Name of the thread, from the best available source.
  name STRING,
  -- Creation time, ns in trace time; NULL if the creation is not in the trace.
  start_ts TIMESTAMP,
  -- Exit time, ns in trace time; NULL if the exit is not in the trace.
  end_ts TIMESTAMP,
  -- Process of the thread; NULL if unknown. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Whether this is the main thread of its process; NULL while the process is unknown.
  is_main_thread BOOL,
  -- Whether this is the idle task of a CPU.
  is_idle BOOL,
  -- Machine of the thread; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT
  id, id AS utid, tid, name, start_ts, end_ts, upid, is_main_thread, is_idle, machine_id,
  arg_set_id
FROM __stored_thread;

-- A process. The kernel reuses pids, so `upid` identifies a process and `pid` does not.
CREATE PERFETTO VIEW process(
  -- Same as `upid`.
  id ID,
  -- Process, unique across the trace; other tables refer to a process by this id.
  upid JOINID(process.id),
  -- Kernel id of the process; reused after the process exits.
  pid LONG,
  -- Name of the process, from the best available source.
  name STRING,
  -- Creation time, ns in trace time; NULL if the creation is not in the trace.
  start_ts TIMESTAMP,
  -- Exit time, ns in trace time; NULL if the exit is not in the trace.
  end_ts TIMESTAMP,
  -- Parent process; NULL if unknown. Join with `process` on `upid`.
  parent_upid JOINID(process.id),
  -- User id that the process runs as; NULL if unknown.
  uid LONG,
  -- Android app id part of `uid`.
  android_appid LONG,
  -- Android user id part of `uid`.
  android_user_id LONG,
  -- Command line, with arguments separated by spaces.
  cmdline STRING,
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Machine of the process; join with `machine` on `id`.
  machine_id JOINID(machine.id)
) AS
SELECT
  id, id AS upid, pid, name, start_ts, end_ts, parent_upid, uid, android_appid,
  android_user_id, cmdline, arg_set_id, machine_id
FROM __stored_process;

-- A process of Chrome that the browser named and that did not describe itself at that time: the
-- trace lacks data of it.
CREATE PERFETTO VIEW experimental_missing_chrome_processes(
  -- Unique id of the row.
  id ID,
  -- Process; join with `process` on `upid`.
  upid LONG,
  -- From when on the data of the process is complete, ns in trace time; NULL if it is not up to the
  -- end.
  reliable_from LONG
) AS
SELECT id, upid, reliable_from FROM __intrinsic_experimental_missing_chrome_processes;
