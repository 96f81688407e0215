-- Which intervals of one table overlap each other.

-- Time cut wherever an interval begins or ends, with the intervals of each piece: `ts`, `dur`,
-- `group_id` of the piece, `id` of the interval, and `interval_ends_at_ts`, which is 1 for one
-- that ended where the piece begins and 0 for one that lasts through it.
CREATE PERFETTO MACRO _interval_self_intersect(
  -- The intervals: `id`, `ts` and `dur`.
  intervals TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH __collected AS (
    SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) AS __all FROM $intervals
  )
  SELECT ts, dur, group_id, id, interval_ends_at_ts
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_self_intersect((SELECT __all FROM __collected))
  )
);

-- A column's name and the column, for an aggregate that keeps both.
CREATE PERFETTO MACRO _isi_named(
  -- The column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __input.$column_name;

-- Pieces of time with what the intervals in them add up to: `ts`, `dur`, `group_id`, `cnt`, how
-- many there are, `sum_value`, `min_value` and `max_value`, and the columns that part them.
CREATE PERFETTO MACRO _interval_self_intersect_agg(
  -- The intervals: `ts`, `dur` and the columns below.
  intervals TableOrSubquery,
  -- Their column with a number to add up.
  value_col ColumnName,
  -- The columns that part them, in parentheses.
  partition_cols ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT *
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_self_intersect_agg(
      (
        SELECT __intrinsic_isi_intervals_agg(
          __input.ts, __input.dur, __input.$value_col
          __intrinsic_token_apply_prefix!(_isi_named, $partition_cols)
        )
        FROM $intervals AS __input
      ),
      __intrinsic_stringify!($partition_cols)
    )
  )
);

-- Pieces of time with how many intervals there are in each: `ts`, `dur`, `group_id`, `cnt` and
-- the columns that part them.
CREATE PERFETTO MACRO _interval_self_intersect_count(
  -- The intervals: `ts`, `dur` and the columns below.
  intervals TableOrSubquery,
  -- The columns that part them, in parentheses.
  partition_cols ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT
    ts, dur, group_id, cnt
    __intrinsic_token_apply_prefix!(__isi_kept, $partition_cols)
  FROM _interval_self_intersect_agg!(
    (SELECT *, NULL AS __nothing FROM $intervals), __nothing, $partition_cols
  )
);

-- A column as it is.
CREATE PERFETTO MACRO __isi_kept(
  -- The column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$column_name;
