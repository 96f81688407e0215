-- Cause of a delay: the part of a slice that took longest in comparison with another slice.

-- Finds the cause for each pair of slices: the child of the delayed slice with the largest excess
-- of duration over the child of the reference that has the same name. A child without a counterpart
-- counts in full; of several counterparts, the shortest counts. Output: `delayed_id`,
-- `reference_id` and `cause_id`; slices without children are left out.
CREATE PERFETTO MACRO _slowest_children(
  -- Pairs with `delayed_id` and `reference_id`, ids of slices; `reference_id` can be NULL.
  pairs TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT delayed_id, reference_id, __child_id AS cause_id
  FROM (
    SELECT
      __pair.delayed_id,
      __pair.reference_id,
      __child.id AS __child_id,
      row_number() OVER (
        PARTITION BY __pair.delayed_id, __pair.reference_id
        ORDER BY __child.dur - coalesce(__usual.dur, 0) DESC, __child.id
      ) AS __nth
    FROM (SELECT DISTINCT delayed_id, reference_id FROM $pairs) AS __pair
    JOIN slice AS __child ON __child.parent_id = __pair.delayed_id
    LEFT JOIN slice AS __usual
      ON __usual.parent_id = __pair.reference_id AND __usual.name = __child.name
  )
  WHERE __nth = 1
);

-- Returns the child of a slice that has the largest excess of duration over the child of another
-- slice that has the same name. A child without a counterpart counts in full.
CREATE PERFETTO FUNCTION chrome_get_v3_jank_cause_id(
  -- Slice with a delay.
  janky_slice_id LONG,
  -- Slice to compare with.
  prev_slice_id LONG
)
-- Id of the child; NULL if the slice has no children.
RETURNS LONG AS
SELECT cause_id
FROM _slowest_children!((SELECT $janky_slice_id AS delayed_id, $prev_slice_id AS reference_id));
