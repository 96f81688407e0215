-- Lists of expressions.

-- Returns an expression unchanged.
CREATE PERFETTO MACRO __listed(
  -- Expression.
  element Expr
)
RETURNS Expr AS
$element;

-- Returns a list without its parentheses.
CREATE PERFETTO MACRO metasql_unparenthesize_exprlist(
  -- List such as `(a, b)`.
  expr ExprList
)
RETURNS UnparenExprList AS
__intrinsic_token_apply!(__listed, $expr);
