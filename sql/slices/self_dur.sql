-- How long slices took themselves, apart from the slices in them.

-- A slice's own time.
CREATE PERFETTO TABLE slice_self_dur(
  -- The slice.
  id ID(slice.id),
  -- Its duration less those of the slices directly in it. A slice whose end was not seen counts
  -- with its duration of -1.
  self_dur DURATION
) AS
SELECT id, sum(part) AS self_dur
FROM (
  SELECT id, dur AS part FROM slice
  UNION ALL
  SELECT parent_id, -dur FROM slice WHERE parent_id IS NOT NULL
)
GROUP BY id
ORDER BY id;
