-- The critical path of threads, with what the threads on it did.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE sched.thread_executing_span;
INCLUDE PERFETTO MODULE slices.flat_slices;

-- What a thread did, and its innermost slice at the time.
CREATE VIRTUAL TABLE _thread_state_with_slice_span USING SPAN_LEFT_JOIN(
  thread_state PARTITIONED utid,
  _slice_flattened PARTITIONED utid
);

-- What a thread did, and its innermost slice at the time, numbered.
CREATE PERFETTO TABLE _thread_state_with_slice AS
SELECT
  row_number() OVER (ORDER BY utid, ts) AS id,
  ts, dur, utid, id AS thread_state_id, state, io_wait, blocked_function, cpu,
  slice_id, name AS slice_name, depth AS slice_depth
FROM _thread_state_with_slice_span
WHERE dur > 0;

-- What a thread did in an interval, and what the threads it waited for did at the same time.
CREATE PERFETTO FUNCTION _critical_path_with_states(
  -- The thread.
  root_utid JOINID(thread.id),
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION
)
RETURNS TABLE(
  -- When both began to do so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- The thread it waited for, or itself.
  utid JOINID(thread.id),
  -- What the thread itself did, a row of `_thread_state_with_slice`.
  self_id LONG,
  -- What the thread it waited for did, likewise.
  path_id LONG
) AS
WITH
  way AS (
    SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, utid
    FROM _thread_executing_span_critical_path($root_utid, $ts, $dur)
  ),
  waited_for AS MATERIALIZED (
    SELECT
      row_number() OVER (ORDER BY ts) AS id, ts, dur, utid, id_1 AS path_id
    FROM _interval_intersect!(
      (way, (SELECT id, ts, dur, utid FROM _thread_state_with_slice)), (utid)
    )
  )
SELECT i.ts, i.dur, w.utid, i.id_1 AS self_id, w.path_id
FROM _interval_intersect!(
  (
    (SELECT id, ts, dur FROM waited_for),
    (SELECT id, ts, dur FROM _thread_state_with_slice WHERE utid = $root_utid)
  ),
  ()
) AS i
JOIN waited_for AS w ON w.id = i.id_0;

-- What a thread did in an interval and what it waited for, as stacks: for each stretch of time the
-- thread's state, the kernel's function it waited in, its process, its name and its slices, below
-- those the same of the thread it waited for, and last the CPU. Levels without a name are those
-- that were not asked for or of which nothing is known.
CREATE PERFETTO FUNCTION _critical_path_stack(
  -- The thread.
  root_utid JOINID(thread.id),
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- 1 if processes are to be named.
  enable_process_name LONG,
  -- 1 if threads are to be named.
  enable_thread_name LONG,
  -- 1 if the thread's own slices are to be named.
  enable_self_slice LONG,
  -- 1 if slices of the threads it waited for are to be named.
  enable_critical_path_slice LONG
)
RETURNS TABLE(
  -- The slice, or the row of `thread_state`.
  id LONG,
  -- When the stretch begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- The thread the level is of.
  utid JOINID(thread.id),
  -- The level, from 0 on.
  stack_depth LONG,
  -- What the level says.
  name STRING,
  -- `slice` or `thread_state`, which `id` is of.
  table_name STRING,
  -- The thread that was asked for.
  root_utid JOINID(thread.id)
) AS
WITH
  pieces AS MATERIALIZED (
    SELECT
      c.ts, c.dur, c.utid,
      self.thread_state_id AS self_state_id, self.state AS self_state,
      self.io_wait AS self_io_wait, self.blocked_function AS self_function,
      self.slice_id AS self_slice_id, self.slice_name AS self_slice_name,
      self.slice_depth AS self_slice_depth,
      path.thread_state_id AS state_id, path.state, path.io_wait,
      path.blocked_function AS function, path.slice_id, path.slice_name, path.slice_depth,
      path.cpu,
      -- The level after the thread's own.
      6 + coalesce(self.slice_depth, -1) AS path_level,
      CASE WHEN c.utid = $root_utid THEN 0 ELSE 1 END AS is_waiting
    FROM _critical_path_with_states($root_utid, $ts, $dur) AS c
    JOIN _thread_state_with_slice AS self ON self.id = c.self_id
    JOIN _thread_state_with_slice AS path ON path.id = c.path_id
  ),
  named AS (
    SELECT
      t.utid,
      t.name AS thread_name,
      p.name AS process_name
    FROM thread AS t
    LEFT JOIN process AS p ON p.upid = t.upid
  ),
  own_levels AS (
    SELECT
      self_state_id AS id, ts, dur, $root_utid AS utid, 0 AS stack_depth,
      'thread_state: ' || self_state AS name, 'thread_state' AS table_name
    FROM pieces
    UNION ALL
    SELECT
      self_state_id, ts, dur, $root_utid, 1,
      CASE WHEN self_state NOT GLOB 'R*' THEN 'kernel function: ' || self_function END,
      'thread_state'
    FROM pieces
    UNION ALL
    SELECT
      self_state_id, ts, dur, $root_utid, 2,
      CASE WHEN self_state NOT GLOB 'R*' THEN 'io_wait: ' || self_io_wait END, 'thread_state'
    FROM pieces
    UNION ALL
    SELECT
      p.self_state_id, p.ts, p.dur, $root_utid, 3,
      CASE WHEN $enable_process_name = 1 THEN 'process_name: ' || n.process_name END,
      'thread_state'
    FROM pieces AS p
    JOIN named AS n ON n.utid = $root_utid
    UNION ALL
    SELECT
      p.self_state_id, p.ts, p.dur, $root_utid, 4,
      CASE WHEN $enable_thread_name = 1 THEN 'thread_name: ' || n.thread_name END, 'thread_state'
    FROM pieces AS p
    JOIN named AS n ON n.utid = $root_utid
    UNION ALL
    SELECT
      a.id, p.ts, p.dur, $root_utid, 5 + a.depth,
      CASE WHEN $enable_self_slice = 1 THEN a.name END, 'slice'
    FROM pieces AS p
    JOIN ancestor_slice(p.self_slice_id) AS a
    WHERE a.dur != -1
    UNION ALL
    SELECT
      self_slice_id, ts, dur, $root_utid, 5 + self_slice_depth,
      CASE WHEN $enable_self_slice = 1 THEN self_slice_name END, 'slice'
    FROM pieces
    WHERE self_slice_id IS NOT NULL
  ),
  waiting AS (
    SELECT p.*, n.thread_name, n.process_name
    FROM pieces AS p
    JOIN named AS n ON n.utid = p.utid
    WHERE p.is_waiting = 1
  ),
  path_levels AS (
    SELECT
      state_id AS id, ts, dur, utid, path_level AS stack_depth,
      'blocking thread_state: ' || state AS name, 'thread_state' AS table_name
    FROM waiting
    UNION ALL
    SELECT
      state_id, ts, dur, utid, path_level + 1, 'blocking process_name: ' || process_name,
      'thread_state'
    FROM waiting
    UNION ALL
    SELECT
      state_id, ts, dur, utid, path_level + 2, 'blocking thread_name: ' || thread_name,
      'thread_state'
    FROM waiting
    UNION ALL
    SELECT
      state_id, ts, dur, utid, path_level + 3, 'blocking kernel_function: ' || function,
      'thread_state'
    FROM waiting
    UNION ALL
    SELECT
      state_id, ts, dur, utid, path_level + 4, 'blocking io_wait: ' || io_wait, 'thread_state'
    FROM waiting
    UNION ALL
    SELECT
      a.id, w.ts, w.dur, w.utid, w.path_level + 5 + a.depth,
      CASE WHEN $enable_critical_path_slice = 1 THEN a.name END, 'slice'
    FROM waiting AS w
    JOIN ancestor_slice(w.slice_id) AS a
    WHERE a.dur != -1
    UNION ALL
    SELECT
      slice_id, ts, dur, utid, path_level + 5 + slice_depth,
      CASE WHEN $enable_critical_path_slice = 1 THEN slice_name END, 'slice'
    FROM waiting
    WHERE slice_id IS NOT NULL
  ),
  cpu_levels AS (
    SELECT
      state_id AS id, ts, dur, utid,
      CASE WHEN is_waiting = 1 THEN path_level + 6 + coalesce(slice_depth, -1) ELSE path_level END
        AS stack_depth,
      'cpu: ' || cpu AS name, 'thread_state' AS table_name
    FROM pieces
    WHERE state = 'Running' OR self_state = 'Running'
  )
SELECT id, ts, dur, utid, stack_depth, name, table_name, $root_utid AS root_utid FROM own_levels
UNION ALL
SELECT id, ts, dur, utid, stack_depth, name, table_name, $root_utid FROM path_levels
UNION ALL
SELECT id, ts, dur, utid, stack_depth, name, table_name, $root_utid FROM cpu_levels;

-- The same with everything named.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_stack(
  -- The thread.
  root_utid JOINID(thread.id),
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION
)
RETURNS TABLE(
  -- The slice, or the row of `thread_state`.
  id LONG,
  -- When the stretch begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- The thread the level is of.
  utid JOINID(thread.id),
  -- The level, from 0 on.
  stack_depth LONG,
  -- What the level says.
  name STRING,
  -- `slice` or `thread_state`, which `id` is of.
  table_name STRING,
  -- The thread that was asked for.
  root_utid JOINID(thread.id)
) AS
SELECT id, ts, dur, utid, stack_depth, name, table_name, root_utid
FROM _critical_path_stack($root_utid, $ts, $dur, 1, 1, 1, 1);
