-- The period between markers, and macros that several modules of Wattson use. Wattson is a model
-- that estimates power from the states of CPUs, GPU and TPU.

-- The period between the markers of the user: from the first slice `wattson_start` to the last
-- slice `wattson_stop`. Without a start there is no row.
CREATE PERFETTO TABLE _wattson_markers_window(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; NULL without a stop.
  dur DURATION,
  -- `Markers window`.
  name STRING
) AS
SELECT
  min(ts) AS ts,
  (SELECT max(ts) FROM slice WHERE name = 'wattson_stop') - min(ts) AS dur,
  'Markers window' AS name
FROM slice
WHERE name = 'wattson_start'
HAVING count(*) > 0;

-- Returns a table with its row number as `id`, as `_interval_intersect!` expects it.
CREATE PERFETTO MACRO _ii_subquery(
  -- Table that a statement created.
  tab TableOrSubquery
)
RETURNS TableOrSubquery AS
(SELECT __of.*, __of._auto_id AS id FROM $tab AS __of);

-- Number that stands for the DSU (the shared unit of an Arm CPU cluster) where a curve names the
-- policy that it depends on.
CREATE PERFETTO MACRO _dsu_dep()
RETURNS Expr AS
255;

-- Returns a bit of a mask: 1 or 0.
CREATE PERFETTO MACRO _extract_bit(
  -- Mask.
  mask Expr,
  -- Number of the bit, from 0.
  bit Expr
)
RETURNS Expr AS
(($mask) / (1 << ($bit)) % 2);

-- Returns a mask with a bit for each value that is neither 0 nor false.
CREATE PERFETTO MACRO _bitmask8(
  -- Value of bit 0.
  b0 Expr,
  -- Value of bit 1.
  b1 Expr,
  -- Value of bit 2.
  b2 Expr,
  -- Value of bit 3.
  b3 Expr,
  -- Value of bit 4.
  b4 Expr,
  -- Value of bit 5.
  b5 Expr,
  -- Value of bit 6.
  b6 Expr,
  -- Value of bit 7.
  b7 Expr
)
RETURNS Expr AS
(
  iif($b0, 1, 0) + iif($b1, 2, 0) + iif($b2, 4, 0) + iif($b3, 8, 0)
  + iif($b4, 16, 0) + iif($b5, 32, 0) + iif($b6, 64, 0) + iif($b7, 128, 0)
);

-- Returns a mask of the CPUs with a policy; -1 is the policy of a CPU that does not exist.
CREATE PERFETTO MACRO _policy_mask(
  -- Policy to look for.
  target Expr,
  -- Policy of CPU 0.
  p0 Expr,
  -- Policy of CPU 1.
  p1 Expr,
  -- Policy of CPU 2.
  p2 Expr,
  -- Policy of CPU 3.
  p3 Expr,
  -- Policy of CPU 4.
  p4 Expr,
  -- Policy of CPU 5.
  p5 Expr,
  -- Policy of CPU 6.
  p6 Expr,
  -- Policy of CPU 7.
  p7 Expr
)
RETURNS Expr AS
CASE
  WHEN $target = -1 THEN 0
  ELSE _bitmask8!(
    $p0 = $target, $p1 = $target, $p2 = $target, $p3 = $target,
    $p4 = $target, $p5 = $target, $p6 = $target, $p7 = $target
  )
END;
