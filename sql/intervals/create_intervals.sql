-- Intervals from start and end times.

-- Returns an interval from each start to the first end after it: `ts` and `dur`, in order of time.
-- A start without an end gives no interval; several starts can share an end.
CREATE PERFETTO MACRO _create_intervals(
  -- Start times.
  starts_table TableOrSubquery,
  -- End times.
  ends_table TableOrSubquery,
  -- Time column of `starts_table`.
  starts_ts_col ColumnName,
  -- Time column of `ends_table`.
  ends_ts_col ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT __at AS ts, __end - __at AS dur
  FROM (
    SELECT
      __at,
      __is_end,
      -- Goes backwards in time, with starts before ends at the same time: the nearest end so far.
      min(CASE WHEN __is_end = 1 THEN __at END) OVER (
        ORDER BY __at DESC, __is_end ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS __end
    FROM (
      SELECT $starts_ts_col AS __at, 0 AS __is_end FROM $starts_table
      UNION ALL
      SELECT $ends_ts_col, 1 FROM $ends_table
    )
  )
  WHERE __is_end = 0 AND __end IS NOT NULL
  ORDER BY __at
);
