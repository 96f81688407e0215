-- Intervals from moments at which they began and ended.

-- For each start, in order, an interval to the first end after it: `ts` and `dur`. Starts
-- without one are left out; several may share one.
CREATE PERFETTO MACRO _create_intervals(
  -- Where intervals begin.
  starts_table TableOrSubquery,
  -- Where they end.
  ends_table TableOrSubquery,
  -- The column of `starts_table` with the time.
  starts_ts_col ColumnName,
  -- The column of `ends_table` with the time.
  ends_ts_col ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT __at AS ts, __end - __at AS dur
  FROM (
    SELECT
      __at,
      __is_end,
      -- Backwards in time, with starts before ends of the same time: the last end so far.
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
