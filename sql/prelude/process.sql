-- A thread. `utid` tells threads apart where the kernel used a tid again.
CREATE PERFETTO VIEW thread(
  -- The same as `utid`.
  id ID,
  -- The thread, unique over the trace where tids are reused.
  utid ID,
  -- The kernel's id of the thread.
  tid LONG,
  -- The thread's name, from the best source that gave one.
  name STRING,
  -- When it was created, if that was seen.
  start_ts TIMESTAMP,
  -- When it ended, if that was seen.
  end_ts TIMESTAMP,
  -- The process it belongs to, if known.
  upid JOINID(process.id),
  -- Whether it is its process's first thread; NULL while the process is unknown.
  is_main_thread BOOL,
  -- Whether it is a CPU's idle task.
  is_idle BOOL,
  -- The machine it ran on.
  machine_id JOINID(machine.id),
  -- More about it.
  arg_set_id ARGSETID
) AS
SELECT
  id, id AS utid, tid, name, start_ts, end_ts, upid, is_main_thread, is_idle, machine_id,
  arg_set_id
FROM __stored_thread;

-- A process. `upid` tells processes apart where the kernel used a pid again.
CREATE PERFETTO VIEW process(
  -- The same as `upid`.
  id ID,
  -- The process, unique over the trace where pids are reused.
  upid JOINID(process.id),
  -- The kernel's id of the process.
  pid LONG,
  -- The process's name, from the best source that gave one.
  name STRING,
  -- When it was created, if that was seen.
  start_ts TIMESTAMP,
  -- When it ended, if that was seen.
  end_ts TIMESTAMP,
  -- The process that created it.
  parent_upid JOINID(process.id),
  -- The user it runs as.
  uid LONG,
  -- The Android application the user id stands for.
  android_appid LONG,
  -- The Android user the user id stands for.
  android_user_id LONG,
  -- The command line, arguments separated by spaces.
  cmdline STRING,
  -- More about it.
  arg_set_id ARGSETID,
  -- The machine it ran on.
  machine_id JOINID(machine.id)
) AS
SELECT
  id, id AS upid, pid, name, start_ts, end_ts, parent_upid, uid, android_appid,
  android_user_id, cmdline, arg_set_id, machine_id
FROM __stored_process;
