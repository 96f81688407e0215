-- Time that the tracing service took to clone recorded buffers.

-- Returns the time from a stat to the clone of each buffer of the same trace: `buffer_id`,
-- `duration_ns`, `machine_id` and `trace_id`.
CREATE PERFETTO MACRO _traced_clone_time_since(
  -- Name of the stat, a time in ns; 0 if it never came.
  stat Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    done.idx AS buffer_id, done.value - begun.value AS duration_ns, done.machine_id, done.trace_id
  FROM stats AS done
  JOIN stats AS begun
    ON begun.machine_id IS done.machine_id AND begun.trace_id IS done.trace_id
  WHERE
    done.name = 'traced_buf_clone_done_timestamp_ns' AND begun.name = $stat AND begun.value != 0
  ORDER BY done.machine_id, done.trace_id, done.idx
);

-- Time from the start of a clone until a buffer was cloned.
CREATE PERFETTO TABLE traced_clone_flush_latency(
  -- Number of the buffer.
  buffer_id LONG,
  -- Time in ns.
  duration_ns LONG,
  -- Machine of the trace; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Trace with the buffer; join with `trace_file` on `id`.
  trace_id LONG
) AS
SELECT * FROM _traced_clone_time_since!('traced_clone_started_timestamp_ns');

-- Time from the trigger of a clone until a buffer was cloned.
CREATE PERFETTO TABLE traced_trigger_clone_flush_latency(
  -- Number of the buffer.
  buffer_id LONG,
  -- Time in ns.
  duration_ns LONG,
  -- Machine of the trace; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Trace with the buffer; join with `trace_file` on `id`.
  trace_id LONG
) AS
SELECT * FROM _traced_clone_time_since!('traced_clone_trigger_timestamp_ns');
