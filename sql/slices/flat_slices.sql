-- Innermost slice of each thread over time.

INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.with_context;

-- Periods in which a slice is the innermost slice of its thread track. Slices without an end and
-- their descendants have none.
CREATE PERFETTO TABLE _slice_flattened AS
SELECT
  f.id AS slice_id, f.ts, f.dur, s.depth, s.name, f.root_id, s.track_id, s.utid, s.tid,
  s.thread_name, s.upid, s.pid, s.process_name
FROM _intervals_flatten!(
  _intervals_merge_root_and_children!(
    (SELECT id, ts, dur FROM slice WHERE parent_id IS NULL),
    (
      SELECT outermost.id AS root_id, s.id, s.parent_id, s.ts, s.dur
      FROM slice AS s
      JOIN ancestor_slice(s.id) AS outermost
      WHERE outermost.depth = 0
    )
  )
) AS f
JOIN thread_slice AS s ON s.id = f.id
ORDER BY f.ts;
