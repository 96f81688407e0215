-- Facts about each trace file of the session.

-- A trace file with the facts that it states about itself.
CREATE PERFETTO TABLE _metadata_by_trace(
  -- Trace file; join with `trace_file` on `id`.
  trace_id LONG,
  -- Name of the recording session; NULL if not recorded.
  unique_session_name STRING,
  -- UUID of the trace.
  trace_uuid STRING,
  -- Format of the file, such as `proto`.
  trace_type STRING,
  -- Size of the file, bytes.
  trace_size_bytes LONG,
  -- Trigger that started or stopped the recording; NULL if not recorded.
  trace_trigger STRING,
  -- Names of the machines in the file, separated by commas. The name is that of the operating
  -- system, or `Machine` and the id if unknown.
  machines STRING
) AS
WITH
  fact AS (
    SELECT * FROM metadata WHERE trace_id IS NOT NULL
  ),
  trace_machine AS (
    SELECT trace_id, machine_id, extract_metadata_for_machine(machine_id, 'system_name') AS name
    FROM fact
    WHERE machine_id IS NOT NULL
    GROUP BY trace_id, machine_id
  ),
  machine_list AS (
    SELECT
      trace_id,
      group_concat(coalesce(name, 'Machine ' || machine_id), ', ' ORDER BY machine_id) AS machines
    FROM trace_machine
    GROUP BY trace_id
  ),
  trace_fact AS (
    SELECT
      trace_id,
      max(CASE WHEN name = 'unique_session_name' THEN str_value END) AS unique_session_name,
      max(CASE WHEN name = 'trace_uuid' THEN str_value END) AS trace_uuid,
      max(CASE WHEN name = 'trace_type' THEN str_value END) AS trace_type,
      max(CASE WHEN name = 'trace_size_bytes' THEN int_value END) AS trace_size_bytes,
      max(CASE WHEN name = 'trace_trigger' THEN str_value END) AS trace_trigger
    FROM fact
    GROUP BY trace_id
  )
SELECT
  t.trace_id, t.unique_session_name, t.trace_uuid, t.trace_type, t.trace_size_bytes,
  t.trace_trigger, coalesce(m.machines, '') AS machines
FROM trace_fact AS t
LEFT JOIN machine_list AS m ON m.trace_id = t.trace_id
ORDER BY t.trace_id;
