-- Intervals for the time in which there were none.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- NULL in the place of a column.
CREATE PERFETTO MACRO __absent(
  -- The column.
  column_name Expr
)
RETURNS Expr AS
NULL;

-- The intervals with more of them where none is, from the trace's start to its end: `ts`, `dur`,
-- the groups' columns, and the data's, which are NULL in the added ones. Each group is filled by
-- itself.
CREATE PERFETTO MACRO intervals_fill_gaps(
  -- The columns that make groups, in parentheses.
  group_cols ColumnNameList,
  -- The columns to be NULL in gaps, in parentheses.
  data_cols ColumnNameList,
  -- The intervals: `ts`, `dur` and all these columns.
  data TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __given AS (
      SELECT
        ts, dur,
        metasql_unparenthesize_exprlist!($group_cols),
        metasql_unparenthesize_exprlist!($data_cols),
        -- How far this one and all before it reach.
        max(ts + dur) OVER (
          PARTITION BY metasql_unparenthesize_exprlist!($group_cols)
          ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS __reach,
        lead(ts, 1, trace_end()) OVER (
          PARTITION BY metasql_unparenthesize_exprlist!($group_cols) ORDER BY ts
        ) AS __next,
        row_number() OVER (
          PARTITION BY metasql_unparenthesize_exprlist!($group_cols) ORDER BY ts
        ) AS __number
      FROM $data
    )
  SELECT
    ts, dur,
    metasql_unparenthesize_exprlist!($group_cols),
    metasql_unparenthesize_exprlist!($data_cols)
  FROM __given
  WHERE dur > 0
  UNION ALL
  SELECT
    __reach, __next - __reach,
    metasql_unparenthesize_exprlist!($group_cols),
    __intrinsic_token_apply!(__absent, $data_cols)
  FROM __given
  WHERE __next > __reach
  UNION ALL
  SELECT
    trace_start(), ts - trace_start(),
    metasql_unparenthesize_exprlist!($group_cols),
    __intrinsic_token_apply!(__absent, $data_cols)
  FROM __given
  WHERE __number = 1 AND ts > trace_start()
);
