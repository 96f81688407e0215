-- Slices with the thread and process they belong to.

-- A slice of a thread.
CREATE PERFETTO VIEW thread_slice(
  -- The slice's id.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; -1 when its end was not seen.
  dur DURATION,
  -- What the program files it under.
  category STRING,
  -- What it is.
  name STRING,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- The track's name.
  track_name STRING,
  -- The thread's name.
  thread_name STRING,
  -- The thread, unique in the trace.
  utid JOINID(thread.id),
  -- The kernel's number for the thread.
  tid LONG,
  -- Whether the thread is the one its process began with.
  is_main_thread BOOL,
  -- The name of the thread's process.
  process_name STRING,
  -- The thread's process, unique in the trace.
  upid JOINID(process.id),
  -- The kernel's number for the process.
  pid LONG,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(slice.id),
  -- Its arguments.
  arg_set_id ARGSETID,
  -- The thread's CPU time when it began, where the program recorded it.
  thread_ts TIMESTAMP,
  -- How much CPU time it took, where the program recorded it.
  thread_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, tt.name AS track_name,
  t.name AS thread_name, t.utid, t.tid, t.is_main_thread,
  p.name AS process_name, p.upid, p.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN thread_track AS tt ON tt.id = s.track_id
JOIN thread AS t ON t.utid = tt.utid
LEFT JOIN process AS p ON p.upid = t.upid;

-- A slice of a process as a whole, of none of its threads.
CREATE PERFETTO VIEW process_slice(
  -- The slice's id.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; -1 when its end was not seen.
  dur DURATION,
  -- What the program files it under.
  category STRING,
  -- What it is.
  name STRING,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- The track's name.
  track_name STRING,
  -- The process's name.
  process_name STRING,
  -- The process, unique in the trace.
  upid JOINID(process.id),
  -- The kernel's number for the process.
  pid LONG,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(slice.id),
  -- Its arguments.
  arg_set_id ARGSETID,
  -- The CPU time of the thread that began it, where the program recorded it.
  thread_ts TIMESTAMP,
  -- How much CPU time it took, where the program recorded it.
  thread_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, pt.name AS track_name,
  p.name AS process_name, p.upid, p.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN process_track AS pt ON pt.id = s.track_id
JOIN process AS p ON p.upid = pt.upid;

-- A slice of a thread or of a process as a whole.
CREATE PERFETTO VIEW thread_or_process_slice(
  -- The slice's id.
  id JOINID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; -1 when its end was not seen.
  dur DURATION,
  -- What the program files it under.
  category STRING,
  -- What it is.
  name STRING,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- The track's name.
  track_name STRING,
  -- The thread's name; NULL where it belongs to no thread.
  thread_name STRING,
  -- The thread; NULL where it belongs to none.
  utid JOINID(thread.id),
  -- The kernel's number for the thread; NULL where it belongs to none.
  tid LONG,
  -- The process's name.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- The kernel's number for the process.
  pid LONG,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(slice.id),
  -- Its arguments.
  arg_set_id ARGSETID
) AS
SELECT
  id, ts, dur, category, name, track_id, track_name,
  thread_name, utid, tid, process_name, upid, pid, depth, parent_id, arg_set_id
FROM thread_slice
UNION ALL
SELECT
  id, ts, dur, category, name, track_id, track_name,
  NULL, NULL, NULL, process_name, upid, pid, depth, parent_id, arg_set_id
FROM process_slice;
