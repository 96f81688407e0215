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
  SELECT c0 AS ts, c1 AS dur, c2 AS group_id, c3 AS id, c4 AS interval_ends_at_ts
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_self_intersect((
      SELECT __intrinsic_interval_tree_intervals_agg(__input.id, __input.ts, __input.dur)
      FROM (SELECT * FROM $intervals ORDER BY ts) AS __input
    ))
  )
  WHERE
    __intrinsic_table_ptr_bind(c0, 'ts')
    AND __intrinsic_table_ptr_bind(c1, 'dur')
    AND __intrinsic_table_ptr_bind(c2, 'group_id')
    AND __intrinsic_table_ptr_bind(c3, 'id')
    AND __intrinsic_table_ptr_bind(c4, 'interval_ends_at_ts')
);

-- A column's name and the column, for an aggregate that keeps both.
CREATE PERFETTO MACRO _isi_named(
  -- The column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __input.$column_name;

-- Which of the answer's columns holds the column of a name.
CREATE PERFETTO MACRO _isi_found(
  -- The answer's column.
  place Expr,
  -- The name.
  column_name Expr
)
RETURNS Expr AS
__intrinsic_table_ptr_bind($place, __intrinsic_stringify!($column_name));

-- A column under another name.
CREATE PERFETTO MACRO _isi_renamed(
  -- The column.
  place ColumnName,
  -- The name.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$place AS $column_name;

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
  SELECT
    c0 AS ts, c1 AS dur, c2 AS group_id, c3 AS cnt,
    c4 AS sum_value, c5 AS min_value, c6 AS max_value
    __intrinsic_token_apply_prefix!(
      _isi_renamed,
      (c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21),
      $partition_cols
    )
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
  WHERE
    __intrinsic_token_apply_and!(
      _isi_found,
      (c0, c1, c2, c3, c4, c5, c6),
      (ts, dur, group_id, cnt, sum_value, min_value, max_value)
    )
    __intrinsic_token_apply_and_prefix!(
      _isi_found,
      (c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21),
      $partition_cols
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
