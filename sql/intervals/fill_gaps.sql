-- Intervals for the gaps between intervals.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- Returns NULL instead of a column.
CREATE PERFETTO MACRO __absent(
  -- Column to replace.
  column_name Expr
)
RETURNS Expr AS
NULL;

-- Returns the intervals plus intervals for the gaps, from the start to the end of the trace: `ts`,
-- `dur`, the group columns and the data columns, which are NULL in gaps. Each group is filled
-- separately.
CREATE PERFETTO MACRO intervals_fill_gaps(
  -- Columns to group by, in parentheses.
  group_cols ColumnNameList,
  -- Columns that are NULL in gaps, in parentheses.
  data_cols ColumnNameList,
  -- Intervals with `ts`, `dur` and all these columns.
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
        -- Latest end of this interval and all before it.
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
