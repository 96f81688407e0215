-- Slices in an interval, for aggregations in trace viewers.

-- Returns the slices that overlap an interval, with `ii_dur`, the duration of the overlap.
CREATE PERFETTO MACRO _intersect_slices(
  -- Start of the interval, ns in trace time.
  ts Expr,
  -- Duration, ns.
  dur Expr,
  -- Slices with `ts`, `dur` and any other columns.
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
