-- Slices and what they lie in.

-- A slice and all slices it lies in.
CREATE PERFETTO FUNCTION _slice_ancestor_and_self(
  -- The slice.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  -- The slice's id.
  id JOINID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- What the program files it under.
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
  -- How much CPU time it took.
  thread_dur LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM (
  SELECT * FROM ancestor_slice($slice_id)
  UNION ALL
  SELECT * FROM slice WHERE id = $slice_id
);

-- A slice and all slices in it.
CREATE PERFETTO FUNCTION _slice_descendant_and_self(
  -- The slice.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  -- The slice's id.
  id JOINID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The track it lies on.
  track_id JOINID(track.id),
  -- What the program files it under.
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
  -- How much CPU time it took.
  thread_dur LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM (
  SELECT * FROM slice WHERE id = $slice_id
  UNION ALL
  SELECT * FROM descendant_slice($slice_id)
);
