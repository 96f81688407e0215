-- Tables of nodes as trees, and trees as tables.

-- Returns the name of a column and the column, for an aggregate that stores both.
CREATE PERFETTO MACRO _tree_named(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
__intrinsic_stringify!($column_name), __node.$column_name;

-- Returns a column unchanged.
CREATE PERFETTO MACRO _tree_kept(
  -- Column.
  column_name ColumnName
)
RETURNS _ProjectionFragment AS
$column_name;

-- Collects the nodes of a table in one value, a tree.
CREATE PERFETTO MACRO _tree_from_table(
  -- Nodes with `id`, `parent_id` (NULL for a root) and the other columns.
  source_table TableOrSubquery,
  -- Other columns of the tree, in parentheses.
  columns ColumnNameList
)
RETURNS Expr AS
(
  SELECT __intrinsic_tree_from_table(
    'id', __node.id,
    'parent_id', __node.parent_id
    __intrinsic_token_apply_prefix!(_tree_named, $columns)
  )
  FROM $source_table AS __node
);

-- Returns the nodes of a tree: `_tree_id`, the position of the node in the tree, from 0;
-- `_tree_parent_id`, the position of its parent, NULL for a root; `id`, `parent_id`, and the other
-- columns.
CREATE PERFETTO MACRO _tree_to_table(
  -- Tree, such as `_tree_from_table!(…)`.
  tree_ptr Expr,
  -- Other columns of the tree to return, in parentheses.
  columns ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT
    _tree_id, _tree_parent_id, id, parent_id
    __intrinsic_token_apply_prefix!(_tree_kept, $columns)
  FROM __intrinsic_table_ptr(__intrinsic_tree_to_table($tree_ptr))
);
