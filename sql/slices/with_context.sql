-- Slices with their threads and processes.

-- A slice of a thread.
CREATE PERFETTO VIEW thread_slice(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the end is not in the trace.
  dur DURATION,
  -- Category that the program gave the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Name of the track.
  track_name STRING,
  -- Name of the thread.
  thread_name STRING,
  -- Thread of the slice; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Whether the thread is the main thread of its process.
  is_main_thread BOOL,
  -- Name of the process of the thread.
  process_name STRING,
  -- Process of the thread; NULL if unknown. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start of the slice, ns; NULL if not recorded.
  thread_ts TIMESTAMP,
  -- CPU time of the thread during the slice, ns; NULL if not recorded.
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

-- A slice of a process track, which belongs to no single thread.
CREATE PERFETTO VIEW process_slice(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the end is not in the trace.
  dur DURATION,
  -- Category that the program gave the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Name of the track.
  track_name STRING,
  -- Name of the process.
  process_name STRING,
  -- Process of the slice; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- CPU time of the thread that started the slice, at its start, ns; NULL if not recorded.
  thread_ts TIMESTAMP,
  -- CPU time of the thread during the slice, ns; NULL if not recorded.
  thread_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, pt.name AS track_name,
  p.name AS process_name, p.upid, p.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN process_track AS pt ON pt.id = s.track_id
JOIN process AS p ON p.upid = pt.upid;

-- A slice of a thread or of a process track.
CREATE PERFETTO VIEW thread_or_process_slice(
  -- Unique id of the slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the end is not in the trace.
  dur DURATION,
  -- Category that the program gave the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Name of the track.
  track_name STRING,
  -- Name of the thread; NULL for a slice of a process track.
  thread_name STRING,
  -- Thread; NULL for a slice of a process track. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread; NULL for a slice of a process track.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
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
