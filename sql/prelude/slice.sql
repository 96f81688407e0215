-- Something that took time on a track, nested in what was going on there.
CREATE PERFETTO VIEW slice(
  -- The slice's id.
  id ID,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; 0 for an instant, -1 when its end was not seen.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- Its categories, separated by commas.
  category STRING,
  -- What it is.
  name STRING,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(slice.id),
  -- Its arguments.
  arg_set_id ARGSETID,
  -- The thread's CPU time when it began.
  thread_ts TIMESTAMP,
  -- The thread's CPU time it took.
  thread_dur DURATION,
  -- The thread's count of instructions when it began.
  thread_instruction_count LONG,
  -- The instructions it took.
  thread_instruction_delta LONG,
  -- The same as `category`.
  cat STRING,
  -- The same as `id`.
  slice_id JOINID(slice.id)
) AS
SELECT *, category AS cat, id AS slice_id
FROM __stored_slice;

-- Another name of `slice`.
CREATE PERFETTO VIEW slices(
  -- The slice's id.
  id ID,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; 0 for an instant, -1 when its end was not seen.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- Its categories, separated by commas.
  category STRING,
  -- What it is.
  name STRING,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id JOINID(slice.id),
  -- Its arguments.
  arg_set_id ARGSETID,
  -- The thread's CPU time when it began.
  thread_ts TIMESTAMP,
  -- The thread's CPU time it took.
  thread_dur DURATION,
  -- The thread's count of instructions when it began.
  thread_instruction_count LONG,
  -- The instructions it took.
  thread_instruction_delta LONG,
  -- The same as `category`.
  cat STRING,
  -- The same as `id`.
  slice_id JOINID(slice.id)
) AS
SELECT *
FROM slice;

-- Slices that took no time.
CREATE PERFETTO VIEW instant(
  -- When it happened.
  ts TIMESTAMP,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- What it is.
  name STRING,
  -- Its arguments.
  arg_set_id ARGSETID
) AS
SELECT
  ts, track_id, name, arg_set_id
FROM slice
WHERE dur = 0;
