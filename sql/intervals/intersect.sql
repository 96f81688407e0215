-- Where intervals of several tables overlap.

INCLUDE PERFETTO MODULE intervals.self_intersect;

-- A column's name and the column, for an aggregate that keeps both.
CREATE PERFETTO MACRO _ii_named(
  -- The column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __input.$column_name;

-- The intervals of a table, collected.
CREATE PERFETTO MACRO _interval_agg(
  -- The intervals: `id`, `ts`, `dur` and the columns below.
  tab TableOrSubquery,
  -- The columns that part them, in parentheses.
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

-- A column as it is.
CREATE PERFETTO MACRO _ii_kept(
  -- The column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$column_name;

-- The first of two.
CREATE PERFETTO MACRO _ii_first(
  -- What it is.
  wanted Expr,
  -- What it is not.
  other Expr
)
RETURNS Expr AS
$wanted;

-- Where the intervals of all tables overlap, one of each: `ts`, `dur`, `id_0` of the first table's
-- interval, `id_1` of the second's and so on, and the columns that part them.
CREATE PERFETTO MACRO _interval_intersect(
  -- Up to ten tables in parentheses, each with `id`, `ts`, `dur`, which must not be negative, and
  -- the columns below.
  tabs _TableNameList,
  -- Up to four columns in parentheses; only intervals that are alike in all of them are compared.
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

-- The parts of intervals that lie within a single one: `id`, `ts` and `dur`.
CREATE PERFETTO MACRO _interval_intersect_single(
  -- Where the single one begins.
  ts Expr,
  -- How long it is.
  dur Expr,
  -- The intervals: `id`, `ts` and `dur`.
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
    -- What has no length is where it begins.
    OR ts = $ts AND (dur = 0 OR $dur = 0)
);

-- The columns of a table under the names that `_interval_intersect!` wants.
CREATE PERFETTO MACRO _interval_rename_cols(
  -- The table.
  tab TableOrSubquery,
  -- The columns that part it, in parentheses.
  agg_columns ColumnNameList,
  -- Its column with the id.
  id_col ColumnName,
  -- Its column with where the interval begins.
  ts_col ColumnName,
  -- Its column with how long it is.
  dur_col ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT $id_col AS id, $ts_col AS ts, $dur_col AS dur
    __intrinsic_token_apply_prefix!(_ii_kept, $agg_columns)
  FROM $tab
);

-- Where the intervals of two tables overlap whose columns have names of their own; gives what
-- `_interval_intersect!` gives.
CREATE PERFETTO MACRO _interval_intersect_with_col_names(
  -- The first table.
  tab1 TableOrSubquery,
  -- Its column with the id.
  id_col1 ColumnName,
  -- Its column with where the interval begins.
  ts_col1 ColumnName,
  -- Its column with how long it is.
  dur_col1 ColumnName,
  -- The second table.
  tab2 TableOrSubquery,
  -- Its column with the id.
  id_col2 ColumnName,
  -- Its column with where the interval begins.
  ts_col2 ColumnName,
  -- Its column with how long it is.
  dur_col2 ColumnName,
  -- The columns of both that part them, in parentheses.
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

-- Time cut wherever an interval begins or ends, with the intervals of each piece: `ts`, `dur`,
-- `group_id` of the piece, `id` of the interval, and `interval_ends_at_ts`, which is 1 for one
-- that ended where the piece begins and 0 for one that lasts through it.
CREATE PERFETTO MACRO interval_self_intersect(
  -- The intervals: `id`, `ts` and `dur`.
  intervals TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT ts, dur, group_id, id, interval_ends_at_ts
  FROM _interval_self_intersect!($intervals)
);
