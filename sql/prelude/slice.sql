-- A span of time on a track. Slices of a track nest; an instant event is a slice with duration 0.
CREATE PERFETTO VIEW slice(
  -- Unique id of the slice.
  id ID,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; 0 for an instant, -1 when the end is not in the trace.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Categories, separated by commas.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start of the slice, ns; NULL if not recorded.
  thread_ts TIMESTAMP,
  -- CPU time of the thread during the slice, ns; NULL if not recorded.
  thread_dur DURATION,
  -- Instruction count of the thread at the start of the slice; NULL if not recorded.
  thread_instruction_count LONG,
  -- Number of instructions that the thread executed during the slice; NULL if not recorded.
  thread_instruction_delta LONG,
  -- Same as `category`.
  cat STRING,
  -- Same as `id`.
  slice_id JOINID(slice.id)
) AS
SELECT *, category AS cat, id AS slice_id
FROM __stored_slice;

-- Alias of `slice`.
CREATE PERFETTO VIEW slices(
  -- Unique id of the slice.
  id ID,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; 0 for an instant, -1 when the end is not in the trace.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Categories, separated by commas.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start of the slice, ns; NULL if not recorded.
  thread_ts TIMESTAMP,
  -- CPU time of the thread during the slice, ns; NULL if not recorded.
  thread_dur DURATION,
  -- Instruction count of the thread at the start of the slice; NULL if not recorded.
  thread_instruction_count LONG,
  -- Number of instructions that the thread executed during the slice; NULL if not recorded.
  thread_instruction_delta LONG,
  -- Same as `category`.
  cat STRING,
  -- Same as `id`.
  slice_id JOINID(slice.id)
) AS
SELECT *
FROM slice;

-- A slice with duration 0.
CREATE PERFETTO VIEW instant(
  -- Time of the event, ns in trace time.
  ts TIMESTAMP,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Name of the slice.
  name STRING,
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT
  ts, track_id, name, arg_set_id
FROM slice
WHERE dur = 0;
