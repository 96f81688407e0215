-- Values that are carried along the edges of graphs.

-- A column's name and the column, for an aggregate that keeps both.
CREATE PERFETTO MACRO _graph_scan_named(
  -- The column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __first.$column_name;

-- Which of the answer's columns holds the column of a name.
CREATE PERFETTO MACRO _graph_scan_found(
  -- The answer's column.
  place Expr,
  -- The name.
  column_name Expr
)
RETURNS Expr AS
__intrinsic_table_ptr_bind(__answer.$place, __intrinsic_stringify!($column_name));

-- A column under another name.
CREATE PERFETTO MACRO _graph_scan_renamed(
  -- The column.
  place ColumnName,
  -- The name.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__answer.$place AS $column_name;

-- Rows, the rows that a query makes of them at the nodes their edges lead to, the rows that it
-- makes of those, and so on: `id` and the columns.
CREATE PERFETTO MACRO _graph_scan(
  -- The edges: `source_node_id` and `dest_node_id`. The way along them must come to an end, or the
  -- query must.
  graph_table TableOrSubquery,
  -- The rows to begin with: `id` of the node and the columns.
  init_table TableOrSubquery,
  -- Up to seven columns, in parentheses.
  scan_columns ColumnNameList,
  -- A query in parentheses on `$table`, which has the rows that came to nodes; it gives the same
  -- columns.
  step_query TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __answer.c0 AS id,
    __intrinsic_token_apply!(
      _graph_scan_renamed, (c1, c2, c3, c4, c5, c6, c7), $scan_columns
    )
  FROM __intrinsic_table_ptr(
    __intrinsic_graph_scan(
      (SELECT __intrinsic_graph_agg(g.source_node_id, g.dest_node_id) FROM $graph_table AS g),
      (
        SELECT __intrinsic_row_dataframe_agg(
          'id', __first.id
          __intrinsic_token_apply_prefix!(_graph_scan_named, $scan_columns)
        )
        FROM $init_table AS __first
      ),
      __intrinsic_stringify_ignore_table!($step_query),
      __intrinsic_stringify!($scan_columns)
    )
  ) AS __answer
  WHERE
    __intrinsic_table_ptr_bind(__answer.c0, 'id')
    __intrinsic_token_apply_and_prefix!(
      _graph_scan_found, (c1, c2, c3, c4, c5, c6, c7), $scan_columns
    )
);

-- Rows, and the rows that a query makes at each node of all that come to it, when all have: `id`
-- and the columns.
CREATE PERFETTO MACRO _graph_aggregating_scan(
  -- The edges: `source_node_id` and `dest_node_id`. No way along them may come back to where it
  -- was.
  graph_table TableOrSubquery,
  -- The rows to begin with: `id` of the node and the columns.
  init_table TableOrSubquery,
  -- Up to seven columns, in parentheses.
  agg_columns ColumnNameList,
  -- A query in parentheses on `$table`, which has the rows that came to nodes; it gives the same
  -- columns under the same names, one row for each `id`.
  agg_query TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __answer.c0 AS id,
    __intrinsic_token_apply!(
      _graph_scan_renamed, (c1, c2, c3, c4, c5, c6, c7), $agg_columns
    )
  FROM __intrinsic_table_ptr(
    __intrinsic_graph_aggregating_scan(
      (SELECT __intrinsic_graph_agg(g.source_node_id, g.dest_node_id) FROM $graph_table AS g),
      (
        SELECT __intrinsic_row_dataframe_agg(
          'id', __first.id
          __intrinsic_token_apply_prefix!(_graph_scan_named, $agg_columns)
        )
        FROM $init_table AS __first
      ),
      __intrinsic_stringify_ignore_table!($agg_query),
      __intrinsic_stringify!($agg_columns)
    )
  ) AS __answer
  WHERE
    __intrinsic_table_ptr_bind(__answer.c0, 'id')
    __intrinsic_token_apply_and_prefix!(
      _graph_scan_found, (c1, c2, c3, c4, c5, c6, c7), $agg_columns
    )
);
