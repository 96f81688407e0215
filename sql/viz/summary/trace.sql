-- Kind of the recorded system.

-- Tests whether a machine runs Linux.
CREATE PERFETTO FUNCTION _is_linux_machine(
  -- Machine; join with `machine` on `id`.
  machine_id JOINID(machine.id)
)
-- 1 or 0.
RETURNS LONG AS
SELECT CASE WHEN count(*) = 1 THEN 1 ELSE 0 END
FROM metadata
WHERE name = 'system_name' AND str_value = 'Linux' AND machine_id = $machine_id;
