-- Number of overlapping intervals, and merged intervals.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- Counts overlapping intervals over time. Output: `ts`, each time at which an interval starts or
-- ends, and `value`, the number of intervals from then on.
CREATE PERFETTO MACRO intervals_overlap_count(
  -- Intervals.
  segments TableOrSubquery,
  -- Start column of the intervals.
  ts_column ColumnName,
  -- Duration column of the intervals; -1 for an interval without an end.
  dur_column ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT ts, value
  FROM __intrinsic_table_ptr((
    SELECT __intrinsic_interval_overlap_count_agg($ts_column, $dur_column) FROM $segments
  ))
);

-- Counts overlapping intervals over time for each group. Output: `ts`, `value` and `group_name`,
-- the group.
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  -- Intervals.
  segments TableOrSubquery,
  -- Start column of the intervals.
  ts_column ColumnName,
  -- Duration column of the intervals; -1 for an interval without an end.
  dur_column ColumnName,
  -- Group column of the intervals.
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

-- Tests whether any two intervals overlap: 1 or 0.
CREATE PERFETTO MACRO _intervals_overlap_in_table(
  -- Intervals with `ts` and `dur`.
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

-- Merges intervals of the same group that overlap, touch or are at most `epsilon` apart. Output:
-- `ts`, `dur` and the group columns.
CREATE PERFETTO MACRO _intervals_merged_in_groups(
  -- Intervals with `ts`, non-negative `dur` and the group columns.
  intervals TableOrSubquery,
  -- Columns to group by, in parentheses.
  groups ColumnNameList,
  -- Maximum gap between merged intervals, in the unit of `ts`.
  epsilon Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    min(ts) AS ts, max(__end) - min(ts) AS dur, metasql_unparenthesize_exprlist!($groups)
  FROM (
    -- Counts the intervals that start after the end of all intervals before them.
    SELECT
      ts, __end, metasql_unparenthesize_exprlist!($groups),
      sum(CASE WHEN ts <= __reach + $epsilon THEN 0 ELSE 1 END) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($groups)
        ORDER BY ts, __end ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS __merged
    FROM (
      SELECT
        ts,
        ts + dur AS __end,
        metasql_unparenthesize_exprlist!($groups),
        max(ts + dur) OVER (
          PARTITION BY metasql_unparenthesize_exprlist!($groups)
          ORDER BY ts, ts + dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS __reach
      FROM $intervals
    )
  )
  GROUP BY metasql_unparenthesize_exprlist!($groups), __merged
);

-- Merges intervals that overlap, touch or are at most `epsilon` apart. Output: `ts` and `dur`.
CREATE PERFETTO MACRO interval_merge_overlapping(
  -- Intervals with `ts` and non-negative `dur`.
  intervals TableOrSubquery,
  -- Maximum gap between merged intervals, in the unit of `ts`.
  epsilon Expr
)
RETURNS TableOrSubquery AS
(
  SELECT ts, dur
  FROM _intervals_merged_in_groups!(
    (SELECT ts, dur, 0 AS __all FROM $intervals), (__all), $epsilon
  )
  ORDER BY ts
);

-- Merges intervals of the same group that overlap or touch. Output: `ts`, `dur` and the group
-- columns. Intervals without an end (`dur` -1) are left out.
CREATE PERFETTO MACRO interval_merge_overlapping_partitioned(
  -- Intervals with `ts`, `dur` and the group columns.
  intervals TableOrSubquery,
  -- Columns to group by, in parentheses.
  partition_columns ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT ts, dur, metasql_unparenthesize_exprlist!($partition_columns)
  FROM _intervals_merged_in_groups!(
    (SELECT * FROM $intervals WHERE dur >= 0), $partition_columns, 0
  )
);

-- Joins roots with the intervals in them: `root_id`, `root_ts`, `root_dur`, and `id`, `parent_id`,
-- `ts` and `dur` of the interval, which are NULL for a root without intervals. Rows with duration 0
-- are left out.
CREATE PERFETTO MACRO _intervals_merge_root_and_children(
  -- Roots with `id`, `ts` and `dur`.
  roots_table TableOrSubquery,
  -- Intervals with `root_id`, `id`, `parent_id` (the root or another interval), `ts` and `dur`.
  children_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __root.id AS root_id, __root.ts AS root_ts, __root.dur AS root_dur,
    __child.id, __child.parent_id, __child.ts, __child.dur
  FROM (SELECT id, ts, dur FROM $roots_table WHERE dur > 0) AS __root
  LEFT JOIN (
    SELECT root_id, id, parent_id, ts, dur FROM $children_table WHERE dur > 0
  ) AS __child ON __child.root_id = __root.id
);

-- Joins roots with the intervals that overlap them and have the same key, and clips the intervals
-- to the roots. Output: the columns of `_intervals_merge_root_and_children!` and the key. Roots
-- without intervals are left out.
CREATE PERFETTO MACRO _intervals_merge_root_and_children_by_intersection(
  -- Roots with `id`, `ts`, `dur` and the key.
  roots_table TableOrSubquery,
  -- Intervals with `id`, `parent_id` (NULL for those directly in a root), `ts`, `dur` and the key.
  children_table TableOrSubquery,
  -- Key column.
  key ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT
    __part.ts, __part.dur, __child.id, coalesce(__child.parent_id, __part.id_1) AS parent_id,
    __root.id AS root_id, __root.ts AS root_ts, __root.dur AS root_dur, __part.$key
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, $key FROM $children_table WHERE dur > 0),
      (SELECT id, ts, dur, $key FROM $roots_table WHERE dur > 0)
    ),
    ($key)
  ) AS __part
  JOIN $children_table AS __child ON __child.id = __part.id_0
  JOIN $roots_table AS __root ON __root.id = __part.id_1
);

-- Returns the innermost interval of each root over time: `root_id`, `id`, `ts` and `dur`. Where a
-- root has no interval, the innermost interval is the root.
CREATE PERFETTO MACRO _intervals_flatten(
  -- Roots with the intervals in them, as the two macros above return them. Intervals with the same
  -- parent must not overlap.
  children_with_roots_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT root_id, id, ts, dur
  FROM (
    SELECT
      root_id, __node AS id, __at AS ts,
      sum(__step) OVER __of_node AS __is_innermost,
      lead(__at) OVER __of_node - __at AS dur
    FROM (
      SELECT root_id, __node, __at, sum(__change) AS __step
      FROM (
        -- An interval becomes the innermost where it starts and where a child of it ends. It stops
        -- being the innermost where a child starts and where it ends.
        SELECT
          root_id,
          CASE
            WHEN column1 IN (0, 3) THEN id
            WHEN column1 IN (1, 2) THEN __parent
            ELSE root_id
          END AS __node,
          CASE
            WHEN column1 IN (0, 2) THEN ts
            WHEN column1 IN (1, 3) THEN ts + dur
            WHEN column1 = 4 THEN root_ts
            ELSE root_ts + root_dur
          END AS __at,
          CASE WHEN column1 IN (0, 1, 4) THEN 1 ELSE -1 END AS __change
        FROM (
          SELECT
            root_id, root_ts, root_dur, id, coalesce(parent_id, root_id) AS __parent, ts, dur,
            row_number() OVER (PARTITION BY root_id) AS __number
          FROM $children_with_roots_table
          WHERE root_dur > 0 AND (dur IS NULL OR dur > 0)
        )
        CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5)) AS __events
        -- Emit the root itself once.
        WHERE column1 < 4 AND id IS NOT NULL OR column1 >= 4 AND __number = 1
      )
      GROUP BY root_id, __node, __at
      HAVING sum(__change) != 0
    )
    WINDOW __of_node AS (PARTITION BY root_id, __node ORDER BY __at)
  )
  WHERE __is_innermost > 0
);
