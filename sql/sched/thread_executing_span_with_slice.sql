-- Critical paths of threads, with the states and slices of the threads on them.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE sched.thread_executing_span;
INCLUDE PERFETTO MODULE slices.flat_slices;

-- States of threads, split by the innermost slice.
CREATE VIRTUAL TABLE _thread_state_with_slice_span USING SPAN_LEFT_JOIN(
  thread_state PARTITIONED utid,
  _slice_flattened PARTITIONED utid
);

-- States of threads, split by the innermost slice, with row ids.
CREATE PERFETTO TABLE _thread_state_with_slice AS
SELECT
  row_number() OVER (ORDER BY utid, ts) AS id,
  ts, dur, utid, id AS thread_state_id, state, io_wait, blocked_function, cpu,
  slice_id, name AS slice_name, depth AS slice_depth
FROM _thread_state_with_slice_span
WHERE dur > 0;

-- Returns the states of a thread in an interval, each with the state of the thread on its critical
-- path at the same time.
CREATE PERFETTO FUNCTION _critical_path_with_states(
  -- Thread; join with `thread` on `utid`.
  root_utid JOINID(thread.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION
)
RETURNS TABLE(
  -- Start of the segment, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- State of the thread itself, a row of `_thread_state_with_slice`.
  self_id LONG,
  -- State of the thread on the critical path, a row of `_thread_state_with_slice`; of the thread
  -- itself where it did not wait.
  path_id LONG
) AS
SELECT ts, dur, id_1 AS self_id, id_0 AS path_id
FROM _interval_intersect!(
  (
    (
      SELECT id_1 AS id, ts, dur
      FROM _interval_intersect!(
        (
          (
            SELECT id, ts, dur, utid
            FROM _thread_executing_span_critical_path($root_utid, $ts, $dur)
          ),
          (SELECT id, ts, dur, utid FROM _thread_state_with_slice)
        ),
        (utid)
      )
    ),
    (SELECT id, ts, dur FROM _thread_state_with_slice WHERE utid = $root_utid)
  ),
  ()
);

-- Returns the critical path of a thread in an interval as stacks. Each segment has levels for the
-- state of the thread, its kernel function, process, name and slices, then the same for the thread
-- that it waits for, and last the CPU. The name of a level is NULL if the level is disabled or
-- unknown.
CREATE PERFETTO FUNCTION _critical_path_stack(
  -- Thread; join with `thread` on `utid`.
  root_utid JOINID(thread.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- 1 to name processes.
  enable_process_name LONG,
  -- 1 to name threads.
  enable_thread_name LONG,
  -- 1 to name the slices of the thread itself.
  enable_self_slice LONG,
  -- 1 to name the slices of the threads that it waits for.
  enable_critical_path_slice LONG
)
RETURNS TABLE(
  -- Id of the slice or the thread state, in `table_name`.
  id LONG,
  -- Start of the segment, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the segment, ns.
  dur DURATION,
  -- Thread of the level; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Level in the stack, from 0.
  stack_depth LONG,
  -- Name of the level; NULL if the level is disabled or unknown.
  name STRING,
  -- Table of `id`: `slice` or `thread_state`.
  table_name STRING,
  -- Thread of the requested critical path; join with `thread` on `utid`.
  root_utid JOINID(thread.id)
) AS
WITH
  named AS (
    SELECT t.utid, t.name AS thread_name, p.name AS process_name
    FROM thread AS t
    LEFT JOIN process AS p ON p.upid = t.upid
  ),
  pieces AS (
    SELECT
      c.ts, c.dur, path.utid,
      self.thread_state_id AS self_state_id, self.state AS self_state,
      self.io_wait AS self_io_wait, self.blocked_function AS self_function,
      self.slice_id AS self_slice_id, self.slice_name AS self_slice_name,
      self.slice_depth AS self_slice_depth,
      me.process_name AS self_process, me.thread_name AS self_thread,
      path.thread_state_id AS state_id, path.state, path.io_wait,
      path.blocked_function AS function, path.slice_id, path.slice_name, path.slice_depth,
      path.cpu,
      other.process_name, other.thread_name,
      -- First level after the levels of the thread itself.
      6 + coalesce(self.slice_depth, -1) AS path_level,
      CASE WHEN path.utid = $root_utid THEN 0 ELSE 1 END AS is_waiting
    FROM _critical_path_with_states($root_utid, $ts, $dur) AS c
    JOIN _thread_state_with_slice AS self ON self.id = c.self_id
    JOIN _thread_state_with_slice AS path ON path.id = c.path_id
    JOIN named AS me ON me.utid = self.utid
    JOIN named AS other ON other.utid = path.utid
  )
-- Levels 0 to 4 are those of the thread, 5 is its slice; 10 to 14 are those of the thread it waits
-- for, 15 is the slice of that thread; 20 is the CPU.
SELECT
  CASE
    WHEN column1 < 5 THEN self_state_id
    WHEN column1 = 5 THEN self_slice_id
    WHEN column1 = 15 THEN slice_id
    ELSE state_id
  END AS id,
  ts,
  dur,
  CASE WHEN column1 < 10 THEN $root_utid ELSE utid END AS utid,
  CASE
    WHEN column1 < 5 THEN column1
    WHEN column1 = 5 THEN 5 + self_slice_depth
    WHEN column1 < 15 THEN path_level + column1 - 10
    WHEN column1 = 15 THEN path_level + 5 + slice_depth
    WHEN is_waiting = 1 THEN path_level + 6 + coalesce(slice_depth, -1)
    ELSE path_level
  END AS stack_depth,
  CASE
    WHEN column1 = 0 THEN 'thread_state: ' || self_state
    WHEN column1 = 1 AND self_state NOT IN ('R', 'R+', 'Running')
      THEN 'kernel function: ' || self_function
    WHEN column1 = 2 AND self_state NOT IN ('R', 'R+', 'Running')
      THEN 'io_wait: ' || self_io_wait
    WHEN column1 = 3 AND $enable_process_name = 1 THEN 'process_name: ' || self_process
    WHEN column1 = 4 AND $enable_thread_name = 1 THEN 'thread_name: ' || self_thread
    WHEN column1 = 5 AND $enable_self_slice = 1 THEN self_slice_name
    WHEN column1 = 10 THEN 'blocking thread_state: ' || state
    WHEN column1 = 11 THEN 'blocking process_name: ' || process_name
    WHEN column1 = 12 THEN 'blocking thread_name: ' || thread_name
    WHEN column1 = 13 THEN 'blocking kernel_function: ' || function
    WHEN column1 = 14 THEN 'blocking io_wait: ' || io_wait
    WHEN column1 = 15 AND $enable_critical_path_slice = 1 THEN slice_name
    WHEN column1 = 20 THEN 'cpu: ' || cpu
  END AS name,
  CASE WHEN column1 IN (5, 15) THEN 'slice' ELSE 'thread_state' END AS table_name,
  $root_utid AS root_utid
FROM pieces
CROSS JOIN (
  VALUES (0), (1), (2), (3), (4), (5), (10), (11), (12), (13), (14), (15), (20)
) AS levels
WHERE
  column1 < 5
  OR column1 = 5 AND self_slice_id IS NOT NULL
  OR column1 BETWEEN 10 AND 14 AND is_waiting = 1
  OR column1 = 15 AND is_waiting = 1 AND slice_id IS NOT NULL
  OR column1 = 20 AND (state = 'Running' OR self_state = 'Running')
UNION ALL
-- Ancestors of both slices.
SELECT
  a.id, p.ts, p.dur, p.utid, p.first_level + a.depth, CASE WHEN p.is_named = 1 THEN a.name END,
  'slice', $root_utid
FROM (
  SELECT
    ts, dur,
    CASE column1 WHEN 5 THEN $root_utid ELSE utid END AS utid,
    CASE column1 WHEN 5 THEN self_slice_id ELSE slice_id END AS innermost_id,
    CASE column1 WHEN 5 THEN 5 ELSE path_level + 5 END AS first_level,
    CASE column1 WHEN 5 THEN $enable_self_slice ELSE $enable_critical_path_slice END AS is_named
  FROM pieces
  CROSS JOIN (VALUES (5), (15)) AS levels
  WHERE column1 = 5 OR is_waiting = 1
) AS p
JOIN ancestor_slice(p.innermost_id) AS a
WHERE a.dur != -1;

-- Returns the critical path of a thread in an interval as stacks, with all levels enabled.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_stack(
  -- Thread; join with `thread` on `utid`.
  root_utid JOINID(thread.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION
)
RETURNS TABLE(
  -- Id of the slice or the thread state, in `table_name`.
  id LONG,
  -- Start of the segment, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the segment, ns.
  dur DURATION,
  -- Thread of the level; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Level in the stack, from 0.
  stack_depth LONG,
  -- Name of the level; NULL if unknown.
  name STRING,
  -- Table of `id`: `slice` or `thread_state`.
  table_name STRING,
  -- Thread of the requested critical path; join with `thread` on `utid`.
  root_utid JOINID(thread.id)
) AS
SELECT id, ts, dur, utid, stack_depth, name, table_name, root_utid
FROM _critical_path_stack($root_utid, $ts, $dur, 1, 1, 1, 1);
