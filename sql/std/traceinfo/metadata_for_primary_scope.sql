-- One value of each fact in `metadata`.

-- A fact with its primary value: that of the first trace file, and in it of the first machine.
-- Values without a trace file or machine come last.
CREATE PERFETTO TABLE _metadata_for_primary_scope(
  -- Name of the fact.
  name STRING,
  -- Value, if it is text; NULL otherwise.
  str_value STRING,
  -- Value, if it is a number; NULL otherwise.
  int_value LONG,
  -- `single` if the fact has one value, `multi` if it can have several.
  key_type STRING
) AS
WITH primary_id AS (
  SELECT first_value(id ORDER BY trace_id NULLS LAST, machine_id NULLS LAST, id) AS id
  FROM metadata
  GROUP BY name
)
SELECT m.name, m.str_value, m.int_value, m.key_type
FROM primary_id AS p
JOIN metadata AS m ON m.id = p.id
ORDER BY m.name;
