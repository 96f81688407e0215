-- Ancestors and descendants of slices.

-- Returns a slice and all its ancestors.
CREATE PERFETTO FUNCTION _slice_ancestor_and_self(
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  -- Unique id of the slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Category that the program gave the slice.
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
  thread_dur LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM (
  SELECT * FROM ancestor_slice($slice_id)
  UNION ALL
  SELECT * FROM slice WHERE id = $slice_id
);

-- Returns a slice and all its descendants.
CREATE PERFETTO FUNCTION _slice_descendant_and_self(
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  -- Unique id of the slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Category that the program gave the slice.
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
  thread_dur LONG
) AS
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM (
  SELECT * FROM slice WHERE id = $slice_id
  UNION ALL
  SELECT * FROM descendant_slice($slice_id)
);
