-- Intersections of the intervals of one table.

-- Splits time wherever an interval starts or ends, and returns the intervals of each segment: `ts`
-- and `dur` of the segment, `group_id` of the segment, `id` of the interval, and
-- `interval_ends_at_ts`: 1 for an interval that ends at the start of the segment, 0 for an interval
-- that covers it.
CREATE PERFETTO MACRO _interval_self_intersect(
  -- Intervals with `id`, `ts` and `dur`.
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

-- Returns the name of a column and the column, for an aggregate that stores both.
CREATE PERFETTO MACRO _isi_named(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __input.$column_name;

-- Splits time wherever an interval starts or ends, and aggregates the intervals of each segment:
-- `ts`, `dur`, `group_id`, `cnt` (number of intervals), `sum_value`, `min_value`, `max_value` and
-- the partition columns.
CREATE PERFETTO MACRO _interval_self_intersect_agg(
  -- Intervals with `ts`, `dur` and the columns below.
  intervals TableOrSubquery,
  -- Column with the value to aggregate.
  value_col ColumnName,
  -- Partition columns, in parentheses.
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

-- Splits time wherever an interval starts or ends, and counts the intervals of each segment: `ts`,
-- `dur`, `group_id`, `cnt` and the partition columns.
CREATE PERFETTO MACRO _interval_self_intersect_count(
  -- Intervals with `ts`, `dur` and the partition columns.
  intervals TableOrSubquery,
  -- Partition columns, in parentheses.
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

-- Returns a column unchanged.
CREATE PERFETTO MACRO __isi_kept(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$column_name;
