-- How many intervals there are at a time, and what they cover together.

-- How many intervals overlap, from one change to the next: `ts` when the number changed or an
-- interval began or ended, and `value`, how many there are from then on.
CREATE PERFETTO MACRO intervals_overlap_count(
  -- The intervals.
  segments TableOrSubquery,
  -- Their column with where they begin.
  ts_column ColumnName,
  -- Their column with how long they are; -1 for one without an end.
  dur_column ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT __at AS ts, sum(sum(__step)) OVER (ORDER BY __at) AS value
  FROM (
    SELECT $ts_column AS __at, 1 AS __step FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1 FROM $segments WHERE $dur_column != -1
  )
  GROUP BY __at
  ORDER BY __at
);

-- The same for each group of intervals by itself: `ts`, `value` and `group_name`, the group.
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  -- The intervals.
  segments TableOrSubquery,
  -- Their column with where they begin.
  ts_column ColumnName,
  -- Their column with how long they are; -1 for one without an end.
  dur_column ColumnName,
  -- Their column with the group.
  group_column ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT
    __at AS ts,
    sum(sum(__step)) OVER (PARTITION BY __group ORDER BY __at) AS value,
    __group AS group_name
  FROM (
    SELECT $ts_column AS __at, 1 AS __step, $group_column AS __group FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1, $group_column FROM $segments WHERE $dur_column != -1
  )
  GROUP BY __at, __group
  ORDER BY __at
);

-- Whether any two of the intervals overlap: 1 or 0.
CREATE PERFETTO MACRO _intervals_overlap_in_table(
  -- The intervals: `ts` and `dur`.
  intervals TableOrSubquery
)
RETURNS Expr AS
(
  SELECT CASE WHEN count(*) > 0 THEN 1 ELSE 0 END
  FROM (
    SELECT ts + dur AS __end, lead(ts) OVER (ORDER BY ts) AS __next
    FROM $intervals
    WHERE dur != -1
  )
  WHERE __end > __next
);

-- The intervals with those that overlap, touch or are no more than `epsilon` apart made one:
-- `ts` and `dur`.
CREATE PERFETTO MACRO interval_merge_overlapping(
  -- The intervals: `ts` and `dur`, which must have ended.
  intervals TableOrSubquery,
  -- How far apart two may be, in the unit of `ts`.
  epsilon Expr
)
RETURNS TableOrSubquery AS
(
  SELECT min(ts) AS ts, max(__end) - min(ts) AS dur
  FROM (
    -- Counts the intervals that begin beyond all before them.
    SELECT
      ts, __end,
      sum(CASE WHEN ts <= __reach + $epsilon THEN 0 ELSE 1 END)
        OVER (ORDER BY ts, __end ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS __merged
    FROM (
      SELECT
        ts,
        ts + dur AS __end,
        max(ts + dur)
          OVER (ORDER BY ts, ts + dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS __reach
      FROM $intervals
    )
  )
  GROUP BY __merged
  ORDER BY ts
);
