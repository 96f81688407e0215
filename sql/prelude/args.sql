-- A key and a value of an arg set. An arg set is all rows with the same `arg_set_id`.
CREATE PERFETTO VIEW args(
  -- Unique id of the row.
  id ID,
  -- Id of the arg set; columns `arg_set_id` of other tables refer to this id.
  arg_set_id ARGSETID,
  -- Key without array indexes, such as `debug.list`.
  flat_key STRING,
  -- Full key with array indexes, such as `debug.list[2]`.
  key STRING,
  -- Value if `value_type` is an integer, pointer or boolean; else NULL.
  int_value LONG,
  -- Value if `value_type` is `string` or `json`; else NULL.
  string_value STRING,
  -- Value if `value_type` is `real`; else NULL.
  real_value DOUBLE,
  -- Type of the value: `int`, `uint`, `pointer`, `bool`, `string`, `json`, `real` or `null`.
  value_type STRING,
  -- Value as text, for every type.
  display_value STRING
) AS
SELECT
  *,
  CASE value_type
    WHEN 'string' THEN string_value
    WHEN 'json' THEN string_value
    WHEN 'real' THEN CAST(real_value AS TEXT)
    WHEN 'pointer' THEN '0x' || to_hex(int_value)
    -- An unsigned integer above 2^63 is stored as a negative one.
    WHEN 'uint' THEN CASE WHEN int_value < 0 THEN printf('%u', int_value) ELSE CAST(int_value AS TEXT) END
    WHEN 'bool' THEN CASE WHEN int_value = 0 THEN 'false' ELSE 'true' END
    ELSE CAST(int_value AS TEXT)
  END AS display_value
FROM __stored_args;
