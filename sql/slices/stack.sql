-- Slices grouped by the stack of names of their ancestors.

INCLUDE PERFETTO MODULE slices.hierarchy;

-- Hash of the names and categories of each slice and all its ancestors. Names are collected for
-- parents only: their children share them, and most slices are no parents.
CREATE PERFETTO TABLE _slice_stack AS
WITH
  named AS (
    SELECT id, parent_id, hash(coalesce(category, '') || '|' || name) AS name_hash FROM slice
  ),
  parents AS (
    SELECT DISTINCT parent_id AS id FROM slice WHERE parent_id IS NOT NULL
  ),
  around AS (
    SELECT p.id, group_concat(n.name_hash, '|' ORDER BY a.depth) AS names
    FROM parents AS p
    JOIN ancestor_slice(p.id) AS a
    JOIN named AS n ON n.id = a.id
    GROUP BY p.id
  )
SELECT
  n.id,
  hash(
    n.name_hash || coalesce('|' || a.names, '') || coalesce('|' || p.name_hash, '')
  ) AS stack_id
FROM named AS n
LEFT JOIN named AS p ON p.id = n.parent_id
LEFT JOIN around AS a ON a.id = n.parent_id
ORDER BY n.id;

-- A slice with a hash of the stack from its top-level ancestor to itself.
CREATE PERFETTO VIEW slice_with_stack_id(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the end is not in the trace.
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
  thread_dur LONG,
  -- Instruction count of the thread at the start of the slice; NULL if not recorded.
  thread_instruction_count LONG,
  -- Number of instructions that the thread executed during the slice; NULL if not recorded.
  thread_instruction_delta LONG,
  -- Hash of the names and categories of the slice and all its ancestors. Slices with equal stacks
  -- have the same value.
  stack_id LONG,
  -- `stack_id` of the parent slice; 0 for a top-level slice.
  parent_stack_id LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  s.thread_ts, s.thread_dur, s.thread_instruction_count, s.thread_instruction_delta,
  own.stack_id, coalesce(below.stack_id, 0) AS parent_stack_id
FROM slice AS s
JOIN _slice_stack AS own ON own.id = s.id
LEFT JOIN _slice_stack AS below ON below.id = s.parent_id;

-- Returns all slices with a stack, and their ancestors.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(
  -- Stack hash; join with `slice_with_stack_id` on `stack_id`.
  stack_hash LONG
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
WITH found AS (
  SELECT id FROM _slice_stack WHERE stack_id = $stack_hash
)
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM slice
WHERE id IN (
  SELECT id FROM found
  UNION ALL
  SELECT a.id FROM found AS f JOIN ancestor_slice(f.id) AS a
)
ORDER BY ts;

-- Returns all slices with a stack, and their descendants.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(
  -- Stack hash; join with `slice_with_stack_id` on `stack_id`.
  stack_hash LONG
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
WITH found AS (
  SELECT id FROM _slice_stack WHERE stack_id = $stack_hash
)
SELECT
  id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM slice
WHERE id IN (
  SELECT id FROM found
  UNION ALL
  SELECT d.id FROM found AS f JOIN descendant_slice(f.id) AS d
)
ORDER BY ts;
