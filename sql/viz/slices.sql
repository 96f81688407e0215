-- Slices for flame graphs and lists.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE slices.slices;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE slices.with_context;

-- Returns the nodes of a flame graph of slices, which are the given slices and their ancestors:
-- `id`, `parentId`, `name`, `self_dur`, the duration without that of the children in the graph,
-- `self_count`, 1 for a given slice and 0 for an ancestor, and `simple_count`, which is 1.
CREATE PERFETTO MACRO _viz_slice_ancestor_agg(
  -- Slices to show, with `id` and `dur`.
  inits TableOrSubquery,
  -- These slices and all their ancestors, with `id`, `parent_id`, `name` and `dur`.
  nodes TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __given AS (SELECT id, dur FROM $inits),
    __node AS (
      SELECT
        n.id, n.parent_id, n.name,
        coalesce(g.dur, n.dur) AS dur,
        CASE WHEN g.id IS NULL THEN 0 ELSE 1 END AS self_count
      FROM _tree_reachable_ancestors_or_self!($nodes, __given) AS r
      JOIN $nodes AS n ON n.id = r.id
      LEFT JOIN __given AS g ON g.id = r.id
    ),
    __children AS (
      SELECT parent_id AS id, sum(dur) AS dur FROM __node GROUP BY parent_id
    )
  SELECT
    n.id, n.parent_id AS parentId, n.name,
    n.dur - coalesce(c.dur, 0) AS self_dur,
    n.self_count,
    1 AS simple_count
  FROM __node AS n
  LEFT JOIN __children AS c ON c.id = n.id
);

-- Any slice, with its thread and process if it is on a track of one.
CREATE PERFETTO VIEW _viz_slices_for_ui_table(
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
  -- Name of the thread; NULL for a slice of no thread.
  thread_name STRING,
  -- Thread; NULL for a slice of no thread. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread; NULL for a slice of no thread.
  tid LONG,
  -- Name of the process; NULL for a slice of no process.
  process_name STRING,
  -- Process; NULL for a slice of no process. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process; NULL for a slice of no process.
  pid LONG,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT
  id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name, upid,
  pid, depth, parent_id, arg_set_id
FROM _slice_with_thread_and_process_info;
