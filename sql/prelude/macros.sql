-- Converts a value to an integer by the rules of SQLite: '12 ms' becomes 12, 2.9 becomes 2.
CREATE PERFETTO MACRO cast_int(
  -- The value to convert.
  value Expr
)
RETURNS Expr AS CAST($value AS INT);

-- Converts a value to a floating point number.
CREATE PERFETTO MACRO cast_double(
  -- The value to convert.
  value Expr
)
RETURNS Expr AS CAST($value AS REAL);

-- Converts a value to text.
CREATE PERFETTO MACRO cast_string(
  -- The value to convert.
  value Expr
)
RETURNS Expr AS CAST($value AS TEXT);
