-- Intervals in buckets of equal duration, each with the group that dominates it.

INCLUDE PERFETTO MODULE intervals.intersect;

-- Returns the buckets that cover the intervals of each partition, starting at its first interval:
-- `id`, the partition column, `bucket_index`, which counts the buckets of the partition from 0,
-- `ts` and `dur`.
CREATE PERFETTO MACRO _mipmap_buckets_table(
  -- Intervals with `ts`, `dur` and the partition column.
  _source_table TableOrSubquery,
  -- Partition column.
  _partition_column ColumnName,
  -- Duration of a bucket, ns.
  _bucket_duration_ns Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    row_number() OVER (ORDER BY __covered.$_partition_column, __nth.value) AS id,
    __covered.$_partition_column,
    __nth.value AS bucket_index,
    __covered.from_ts + __nth.value * $_bucket_duration_ns AS ts,
    $_bucket_duration_ns AS dur
  FROM (
    SELECT $_partition_column, min(ts) AS from_ts, max(ts + dur) AS to_ts
    FROM $_source_table
    GROUP BY $_partition_column
  ) AS __covered
  -- At least one bucket, also if all intervals have no duration.
  JOIN generate_series(
    0, max(__covered.to_ts - __covered.from_ts - 1, 0) / $_bucket_duration_ns
  ) AS __nth
);

-- Merges successive buckets of a partition that are dominated by the same group. The group with the
-- longest intersection dominates a bucket, or the one with the earliest interval if several
-- have. Buckets without intervals are skipped. Output: the partition column, `id`, the lowest id of
-- the intervals of the group in the buckets, `ts`, `dur` and `group_hash`.
CREATE PERFETTO MACRO _mipmap_merged(
  -- Intervals with `id`, `ts`, `dur`, `group_hash` and the partition column.
  _source_slices_with_ids TableOrSubquery,
  -- Buckets of `_mipmap_buckets_table!`.
  _buckets TableOrSubquery,
  -- Partition column.
  _partition_column ColumnName,
  -- Duration of a bucket, ns.
  _bucket_duration_ns Expr
)
RETURNS TableOrSubquery AS
(
  WITH
    __share AS (
      SELECT
        __bucket.$_partition_column,
        __bucket.bucket_index,
        __bucket.ts,
        __source.group_hash,
        min(__source.id) AS source_id,
        row_number() OVER (
          PARTITION BY __bucket.$_partition_column, __bucket.bucket_index
          ORDER BY sum(__part.dur) DESC, min(__source.ts), __source.group_hash
        ) AS place
      FROM _interval_intersect!(
        ($_buckets, $_source_slices_with_ids), ($_partition_column)
      ) AS __part
      JOIN $_buckets AS __bucket ON __bucket.id = __part.id_0
      JOIN $_source_slices_with_ids AS __source ON __source.id = __part.id_1
      GROUP BY
        __bucket.$_partition_column, __bucket.bucket_index, __bucket.ts, __source.group_hash
    ),
    -- Successive buckets of a group have the same difference between the two numbers.
    __run AS (
      SELECT
        *,
        row_number() OVER (PARTITION BY $_partition_column ORDER BY bucket_index)
          - row_number() OVER (PARTITION BY $_partition_column, group_hash ORDER BY bucket_index)
          AS run
      FROM __share
      WHERE place = 1
    )
  SELECT
    $_partition_column,
    min(source_id) AS id,
    min(ts) AS ts,
    (max(bucket_index) - min(bucket_index) + 1) * $_bucket_duration_ns AS dur,
    group_hash
  FROM __run
  GROUP BY $_partition_column, run, group_hash
  ORDER BY ts
);
