-- Slices that lie in slices of the same names.

INCLUDE PERFETTO MODULE slices.hierarchy;

-- A number for the names and categories of each slice and of all it lies in.
CREATE PERFETTO TABLE _slice_stack AS
WITH
  named AS (
    SELECT id, hash(coalesce(category, '') || '|' || name) AS name_hash FROM slice
  ),
  around AS (
    SELECT s.id, group_concat(n.name_hash, '|' ORDER BY a.depth) AS names
    FROM slice AS s
    JOIN ancestor_slice(s.id) AS a
    JOIN named AS n ON n.id = a.id
    GROUP BY s.id
  )
SELECT n.id, hash(n.name_hash || coalesce('|' || a.names, '')) AS stack_id
FROM named AS n
LEFT JOIN around AS a ON a.id = n.id
ORDER BY n.id;

-- A slice with a number for the stack of slices it tops.
CREATE PERFETTO VIEW slice_with_stack_id(
  -- The slice's id.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; -1 when its end was not seen.
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
  thread_dur LONG,
  -- How many instructions the thread had run when it began.
  thread_instruction_count LONG,
  -- How many instructions it ran.
  thread_instruction_delta LONG,
  -- The same for slices that have the same name and category and lie in the same ones.
  stack_id LONG,
  -- The `stack_id` of the slice it lies in; 0 when it lies in none.
  parent_stack_id LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  s.thread_ts, s.thread_dur, s.thread_instruction_count, s.thread_instruction_delta,
  own.stack_id, coalesce(below.stack_id, 0) AS parent_stack_id
FROM slice AS s
JOIN _slice_stack AS own ON own.id = s.id
LEFT JOIN _slice_stack AS below ON below.id = s.parent_id;

-- Every slice with this stack and every slice those lie in.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(
  -- The stack, a `stack_id` of `slice_with_stack_id`.
  stack_hash LONG
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

-- Every slice with this stack and every slice in those.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(
  -- The stack, a `stack_id` of `slice_with_stack_id`.
  stack_hash LONG
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
