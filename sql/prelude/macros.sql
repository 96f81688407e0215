-- The value as a whole number, by SQLite's rules: of '12 ms' it is 12, of 2.9 it is 2.
CREATE PERFETTO MACRO cast_int(
  -- The value.
  value Expr
)
RETURNS Expr AS CAST($value AS INT);

-- The value as a floating point number.
CREATE PERFETTO MACRO cast_double(
  -- The value.
  value Expr
)
RETURNS Expr AS CAST($value AS REAL);

-- The value as text.
CREATE PERFETTO MACRO cast_string(
  -- The value.
  value Expr
)
RETURNS Expr AS CAST($value AS TEXT);
