-- Intersections of intervals of several tables.

INCLUDE PERFETTO MODULE intervals.self_intersect;

-- Returns the name of a column and the column, for an aggregate that stores both.
CREATE PERFETTO MACRO _ii_named(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __input.$column_name;

-- Collects the intervals of a table in one value.
CREATE PERFETTO MACRO _interval_agg(
  -- Intervals with `id`, `ts`, `dur` and the partition columns.
  tab TableOrSubquery,
  -- Partition columns, in parentheses.
  agg_columns ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT __intrinsic_interval_tree_intervals_agg(
    __input.id, __input.ts, __input.dur
    __intrinsic_token_apply_prefix!(_ii_named, $agg_columns)
  )
  FROM $tab AS __input
);

-- Returns a column unchanged.
CREATE PERFETTO MACRO _ii_kept(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$column_name;

-- Returns the first of two expressions.
CREATE PERFETTO MACRO _ii_first(
  -- Expression to return.
  wanted Expr,
  -- Expression to ignore.
  other Expr
)
RETURNS Expr AS
$wanted;

-- Intersects the intervals of all tables. Output: `ts` and `dur` of the intersection, `id_0` of the
-- interval of the first table, `id_1` of the second and so on, and the partition columns.
CREATE PERFETTO MACRO _interval_intersect(
  -- Up to ten tables in parentheses, each with `id`, `ts`, non-negative `dur` and the partition
  -- columns.
  tabs _TableNameList,
  -- Up to four partition columns in parentheses; only intervals with equal values in all of them
  -- intersect.
  agg_columns ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT
    ts,
    dur,
    __intrinsic_token_apply!(
      _ii_first,
      (id_0, id_1, id_2, id_3, id_4, id_5, id_6, id_7, id_8, id_9),
      $tabs
    )
    __intrinsic_token_apply_prefix!(_ii_kept, $agg_columns)
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_intersect(
      __intrinsic_token_apply!(
        _interval_agg,
        $tabs,
        (
          $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
          $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns
        )
      ),
      __intrinsic_stringify!($agg_columns)
    )
  )
);

-- Clips intervals to a single interval: `id`, `ts` and `dur`.
CREATE PERFETTO MACRO _interval_intersect_single(
  -- Start of the single interval, ns in trace time.
  ts Expr,
  -- Duration of the single interval, ns.
  dur Expr,
  -- Intervals with `id`, `ts` and `dur`.
  t TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    max(ts, $ts) AS ts,
    min(ts + dur, $ts + $dur) - max(ts, $ts) AS dur
  FROM $t
  WHERE
    ts < $ts + $dur AND ts + dur > $ts
    -- An interval with duration 0 intersects where it starts.
    OR ts = $ts AND (dur = 0 OR $dur = 0)
);

-- Renames the columns of a table to the names that `_interval_intersect!` expects.
CREATE PERFETTO MACRO _interval_rename_cols(
  -- Table.
  tab TableOrSubquery,
  -- Partition columns, in parentheses.
  agg_columns ColumnNameList,
  -- Id column of the table.
  id_col ColumnName,
  -- Start column of the table.
  ts_col ColumnName,
  -- Duration column of the table.
  dur_col ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT $id_col AS id, $ts_col AS ts, $dur_col AS dur
    __intrinsic_token_apply_prefix!(_ii_kept, $agg_columns)
  FROM $tab
);

-- Intersects the intervals of two tables with custom column names. The output is that of
-- `_interval_intersect!`.
CREATE PERFETTO MACRO _interval_intersect_with_col_names(
  -- First table.
  tab1 TableOrSubquery,
  -- Id column of the first table.
  id_col1 ColumnName,
  -- Start column of the first table.
  ts_col1 ColumnName,
  -- Duration column of the first table.
  dur_col1 ColumnName,
  -- Second table.
  tab2 TableOrSubquery,
  -- Id column of the second table.
  id_col2 ColumnName,
  -- Start column of the second table.
  ts_col2 ColumnName,
  -- Duration column of the second table.
  dur_col2 ColumnName,
  -- Partition columns of both tables, in parentheses.
  agg_columns ColumnNameList
)
RETURNS TableOrSubquery AS
(
  _interval_intersect!(
    (
      _interval_rename_cols!($tab1, $agg_columns, $id_col1, $ts_col1, $dur_col1),
      _interval_rename_cols!($tab2, $agg_columns, $id_col2, $ts_col2, $dur_col2)
    ),
    $agg_columns
  )
);

-- Splits time wherever an interval starts or ends, and returns the intervals of each segment: `ts`
-- and `dur` of the segment, `group_id` of the segment, `id` of the interval, and
-- `interval_ends_at_ts`: 1 for an interval that ends at the start of the segment, 0 for an interval
-- that covers it.
CREATE PERFETTO MACRO interval_self_intersect(
  -- Intervals with `id`, `ts` and `dur`.
  intervals TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT ts, dur, group_id, id, interval_ends_at_ts
  FROM _interval_self_intersect!($intervals)
);
