-- All slices with their threads and processes.

-- A slice of any track, with its thread and process if it has them.
CREATE PERFETTO VIEW _slice_with_thread_and_process_info(
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
  -- Name of the thread; NULL if the slice has no thread.
  thread_name STRING,
  -- Thread; NULL if the slice has no thread. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread; NULL if the slice has no thread.
  tid LONG,
  -- Name of the process; NULL if the slice has no process.
  process_name STRING,
  -- Process; NULL if the slice has no process. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process; NULL if the slice has no process.
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
