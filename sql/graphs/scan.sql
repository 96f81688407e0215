-- Scans of graphs: values that are computed along the edges, one step of edges at a time.

-- Returns the name of a column and the column, for an aggregate that stores both.
CREATE PERFETTO MACRO _graph_scan_named(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __init.$column_name;

-- Returns a column unchanged.
CREATE PERFETTO MACRO _graph_scan_kept(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$column_name;

-- Runs a scan and returns its rows: `id` of the node and the scanned columns.
CREATE PERFETTO MACRO _graph_scan_by(
  -- Function that scans.
  scan ColumnName,
  -- Edges with `source_node_id` and `dest_node_id`.
  edges TableOrSubquery,
  -- First rows, with `id` and the scanned columns.
  init_rows TableOrSubquery,
  -- Scanned columns, in parentheses.
  scanned ColumnNameList,
  -- Query of a step.
  step TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT id __intrinsic_token_apply_prefix!(_graph_scan_kept, $scanned)
  FROM __intrinsic_table_ptr(
    $scan(
      (SELECT __intrinsic_graph_agg(source_node_id, dest_node_id) FROM $edges),
      (
        SELECT __intrinsic_row_dataframe_agg(
          'id', __init.id __intrinsic_token_apply_prefix!(_graph_scan_named, $scanned)
        )
        FROM $init_rows AS __init
      ),
      __intrinsic_stringify_ignore_table!($step),
      __intrinsic_stringify!($scanned)
    )
  )
);

-- Carries rows along the edges of a graph. A step gives the rows of a node to the nodes that its
-- edges lead to, and replaces them by the result of a query. The output has the rows of all steps:
-- `id` of the node and the scanned columns. A node has a row for each path to it.
CREATE PERFETTO MACRO _graph_scan(
  -- Edges with `source_node_id` and `dest_node_id`, not NULL.
  graph_table TableOrSubquery,
  -- Rows of the first step, with `id` of a node and the scanned columns.
  init_table TableOrSubquery,
  -- Scanned columns, in parentheses.
  scan_columns ColumnNameList,
  -- Query for one step. It reads the rows of the step from `$table` and returns `id` and the
  -- scanned columns. It sees no CTE of the statement.
  step_query TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  _graph_scan_by!(
    __intrinsic_graph_scan, $graph_table, $init_table, $scan_columns, $step_query
  )
);

-- Aggregates rows along the edges of a graph without cycles. A node is computed after all nodes
-- with edges to it, once, from all their rows and its own first rows. The output has the rows of
-- all nodes: `id` of the node and the aggregated columns.
CREATE PERFETTO MACRO _graph_aggregating_scan(
  -- Edges with `source_node_id` and `dest_node_id`, not NULL.
  graph_table TableOrSubquery,
  -- First rows, with `id` of a node and the aggregated columns.
  init_table TableOrSubquery,
  -- Aggregated columns, in parentheses.
  agg_columns ColumnNameList,
  -- Query for one step. It reads the rows of the step from `$table` and returns `id` and the
  -- aggregated columns. It sees no CTE of the statement.
  agg_query TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  _graph_scan_by!(
    __intrinsic_graph_aggregating_scan, $graph_table, $init_table, $agg_columns, $agg_query
  )
);
