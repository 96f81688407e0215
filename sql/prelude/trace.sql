-- The first and the last moment of the trace; always one row.
CREATE PERFETTO VIEW trace_bounds(
  -- The first moment.
  start_ts TIMESTAMP,
  -- The last moment.
  end_ts TIMESTAMP
) AS
SELECT start_ts, end_ts
FROM __stored_trace_bounds;
