-- Slices within an interval, as tools that draw traces add them up.

-- The slices that lie in an interval, with `ii_dur`, how much of each does.
CREATE PERFETTO MACRO _intersect_slices(
  -- Where the interval begins.
  ts Expr,
  -- How long it is.
  dur Expr,
  -- The slices: `ts`, `dur` and whatever else.
  t TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    *,
    min(ts + dur, $ts + $dur) - max(ts, $ts) AS ii_dur
  FROM $t
  WHERE
    dur > 0 AND ts < $ts + $dur AND ts + dur > $ts
    OR dur = 0 AND ts >= $ts AND ts < $ts + $dur
);
