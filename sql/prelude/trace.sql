-- The start and end of the trace; always one row.
CREATE PERFETTO VIEW trace_bounds(
  -- First timestamp of the trace in ns.
  start_ts TIMESTAMP,
  -- Last timestamp of the trace in ns.
  end_ts TIMESTAMP
) AS
SELECT start_ts, end_ts
FROM __stored_trace_bounds;
