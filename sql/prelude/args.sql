-- One key and value of an arg set.
CREATE PERFETTO VIEW args(
  -- The row's id.
  id ID,
  -- The set it belongs to; other tables refer to it.
  arg_set_id ARGSETID,
  -- The key without array positions: `debug.list`.
  flat_key STRING,
  -- The key: `debug.list[2]`.
  key STRING,
  -- The value, when it is an integer, a pointer or a boolean.
  int_value LONG,
  -- The value, when it is text.
  string_value STRING,
  -- The value, when it is a float.
  real_value DOUBLE,
  -- `int`, `uint`, `pointer`, `bool`, `string`, `json`, `real` or `null`.
  value_type STRING,
  -- The value as text, whatever its type.
  display_value STRING
) AS
SELECT
  *,
  CASE value_type
    WHEN 'string' THEN string_value
    WHEN 'json' THEN string_value
    WHEN 'real' THEN CAST(real_value AS TEXT)
    WHEN 'pointer' THEN '0x' || to_hex(int_value)
    WHEN 'bool' THEN CASE WHEN int_value = 0 THEN 'false' ELSE 'true' END
    ELSE CAST(int_value AS TEXT)
  END AS display_value
FROM __stored_args;
