-- What each thread was doing when, by the innermost slice at the time.

INCLUDE PERFETTO MODULE slices.with_context;

-- A stretch of time in which a slice was the innermost of its thread's track. Slices whose end
-- was not seen have none, nor do those in them.
CREATE PERFETTO TABLE _slice_flattened AS
WITH
  ended AS (
    SELECT
      s.id, s.ts, s.dur, s.parent_id, coalesce(root.id, s.id) AS root_id
    FROM slice AS s
    LEFT JOIN ancestor_slice(s.id) AS root ON root.depth = 0
    WHERE s.dur > 0 AND coalesce(root.dur, s.dur) > 0
  ),
  -- Where a slice becomes the innermost: where it begins, and where each slice in it ends.
  begun AS (
    SELECT id, ts FROM ended
    UNION ALL
    SELECT parent_id, ts + dur FROM ended WHERE parent_id IS NOT NULL
  ),
  -- Where it is so no longer: where each slice in it begins, and where it ends.
  over AS (
    SELECT parent_id AS id, ts FROM ended WHERE parent_id IS NOT NULL
    UNION ALL
    SELECT id, ts + dur FROM ended
  ),
  -- Slices in a slice do not overlap, so both are in one order and the nth belong together.
  pieces AS (
    SELECT b.id, b.ts, o.ts - b.ts AS dur
    FROM (SELECT id, ts, row_number() OVER (PARTITION BY id ORDER BY ts) AS n FROM begun) AS b
    JOIN (SELECT id, ts, row_number() OVER (PARTITION BY id ORDER BY ts) AS n FROM over) AS o
      ON b.id = o.id AND b.n = o.n
  )
SELECT
  s.id AS slice_id, p.ts, p.dur, s.depth, s.name, e.root_id, s.track_id, s.utid, s.tid,
  s.thread_name, s.upid, s.pid, s.process_name
FROM pieces AS p
JOIN ended AS e ON e.id = p.id
JOIN thread_slice AS s ON s.id = p.id
WHERE p.dur > 0
ORDER BY p.ts;
