-- The start and end of the trace; always one row.
CREATE PERFETTO VIEW trace_bounds(
  -- First timestamp of the trace in ns.
  start_ts TIMESTAMP,
  -- Last timestamp of the trace in ns.
  end_ts TIMESTAMP
) AS
SELECT start_ts, end_ts
FROM __stored_trace_bounds;

-- A setting of a configuration that makes a recording incomplete, slow or hard to read, though
-- the recorder accepts it.
CREATE PERFETTO VIEW trace_diagnostics(
  -- Unique id of the problem.
  id ID(__intrinsic_trace_diagnostics.id),
  -- Kind of problem, such as `tiny_ftrace_buffer`.
  key STRING,
  -- The problem in a few words.
  title STRING,
  -- Settings of this recording that cause the problem, and their effect.
  description STRING,
  -- Change of the configuration that avoids the problem.
  remediation STRING,
  -- Certainty that the setting does harm, from 0 to 1.
  confidence DOUBLE,
  -- Trace file of the configuration; join with `trace_file` on `id`.
  trace_id JOINID(trace_file.id)
) AS
SELECT id, key, title, description, remediation, confidence, trace_id
FROM __intrinsic_trace_diagnostics;

-- A file that was imported, or a member of an archive.
CREATE PERFETTO VIEW __intrinsic_trace_file(
  -- Unique id of the file.
  id ID,
  -- Archive of the file; join with `trace_file` on `id`; NULL for a file of its own.
  parent_id JOINID(trace_file.id),
  -- Name of the file in its archive; NULL for a file of its own.
  name STRING,
  -- Size, bytes.
  size LONG,
  -- Format of the file.
  trace_type STRING,
  -- Position of the file in the order of import; NULL if unknown.
  processing_order LONG,
  -- Whether the file only contains other files: an archive or a compressed file.
  is_container BOOL
) AS
SELECT
  id, parent_id, name, size, trace_type, processing_order,
  trace_type IN ('gzip', 'zstd', 'tar', 'zip') AS is_container
FROM __stored_trace_file;

-- A problem during the import, with its location.
CREATE PERFETTO VIEW _trace_import_logs(
  -- Unique id of the problem.
  id ID,
  -- Trace file of the problem; join with `trace_file` on `id`.
  trace_id JOINID(trace_file.id),
  -- Time of the problem, ns in trace time; NULL if unknown.
  ts TIMESTAMP,
  -- Offset in the file, bytes; NULL if unknown.
  byte_offset LONG,
  -- Severity of the problem, as in `stats`.
  severity STRING,
  -- Stat that counts the problem; join with `stats` on `name`.
  name STRING,
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT id, trace_id, ts, byte_offset, severity, name, arg_set_id
FROM __stored_trace_import_logs;
