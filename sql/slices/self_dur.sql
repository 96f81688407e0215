-- Self time of slices: the duration without child slices.

-- The self time of a slice.
CREATE PERFETTO TABLE slice_self_dur(
  -- Slice; join with `slice` on `id`.
  id ID(slice.id),
  -- Duration minus the durations of its direct children, ns. A slice without an end counts with
  -- duration -1.
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
