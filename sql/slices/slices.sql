-- All slices with the threads and processes they belong to.

-- A slice of any track, with its thread and process where it has them.
CREATE PERFETTO VIEW _slice_with_thread_and_process_info(
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
  -- The thread's name; NULL where it belongs to no thread.
  thread_name STRING,
  -- The thread; NULL where it belongs to none.
  utid JOINID(thread.id),
  -- The kernel's number for the thread; NULL where it belongs to none.
  tid LONG,
  -- The process's name; NULL where it belongs to no process.
  process_name STRING,
  -- The process; NULL where it belongs to none.
  upid JOINID(process.id),
  -- The kernel's number for the process; NULL where it belongs to none.
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
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, track.name AS track_name,
  t.name AS thread_name, t.utid, t.tid,
  p.name AS process_name, p.upid, p.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN track ON track.id = s.track_id
LEFT JOIN thread_track AS tt ON tt.id = s.track_id
LEFT JOIN thread AS t ON t.utid = tt.utid
LEFT JOIN process_track AS pt ON pt.id = s.track_id
LEFT JOIN process AS p ON p.upid = coalesce(t.upid, pt.upid);
