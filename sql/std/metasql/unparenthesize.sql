-- Lists of expressions.

-- An expression as it is.
CREATE PERFETTO MACRO __listed(
  -- The expression.
  element Expr
)
RETURNS Expr AS
$element;

-- A list without the parentheses around it.
CREATE PERFETTO MACRO metasql_unparenthesize_exprlist(
  -- The list: `(a, b)`.
  expr ExprList
)
RETURNS UnparenExprList AS
__intrinsic_token_apply!(__listed, $expr);
