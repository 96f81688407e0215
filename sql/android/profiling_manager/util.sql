-- Slices made from pairs of slices.

-- Returns a period from the start of each slice with a matching name to the next slice that starts
-- later and matches another pattern.
CREATE PERFETTO FUNCTION _android_generate_start_to_end_slices(
  -- GLOB pattern for names of the slices that start a period.
  start_pattern STRING,
  -- GLOB pattern for names of the slices that end a period.
  end_pattern STRING,
  -- 1 if the period includes the slice that ends it, 0 if it ends at the start of that slice.
  inclusive BOOL
)
RETURNS TABLE(
  -- Name of the slice that starts the period.
  name STRING,
  -- Start, ns in trace time.
  ts LONG,
  -- Duration, ns; NULL if no such slice follows.
  dur LONG
) AS
WITH matching AS (
  SELECT id, ts, name, 0 AS is_end, CAST(NULL AS BIGINT) AS end_ts
  FROM slice
  WHERE name GLOB $start_pattern
  UNION ALL
  SELECT id, ts, name, 1 AS is_end, ts + CASE WHEN $inclusive THEN dur ELSE 0 END AS end_ts
  FROM slice
  WHERE name GLOB $end_pattern
),
-- Goes backwards in time, with starts before ends at the same time: the nearest end so far.
paired AS (
  SELECT
    name, ts, is_end,
    last_value(end_ts) IGNORE NULLS OVER (
      ORDER BY ts DESC, is_end, id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS end_ts
  FROM matching
)
SELECT name, ts, end_ts - ts AS dur
FROM paired
WHERE is_end = 0
ORDER BY ts;
