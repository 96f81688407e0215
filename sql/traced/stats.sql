-- Time that the tracing service took to clone recorded buffers.

-- Time from the start of a clone until a buffer was cloned.
CREATE PERFETTO TABLE traced_clone_flush_latency(
  -- Number of the buffer.
  buffer_id LONG,
  -- Time in ns.
  duration_ns LONG
) AS
SELECT done.idx AS buffer_id, done.value - begun.value AS duration_ns
FROM stats AS done
JOIN stats AS begun
  ON begun.name = 'traced_clone_started_timestamp_ns' AND begun.value != 0
WHERE done.name = 'traced_buf_clone_done_timestamp_ns'
ORDER BY done.idx;

-- Time from the trigger of a clone until a buffer was cloned.
CREATE PERFETTO TABLE traced_trigger_clone_flush_latency(
  -- Number of the buffer.
  buffer_id LONG,
  -- Time in ns.
  duration_ns LONG
) AS
SELECT done.idx AS buffer_id, done.value - asked.value AS duration_ns
FROM stats AS done
JOIN stats AS asked
  ON asked.name = 'traced_clone_trigger_timestamp_ns' AND asked.value != 0
WHERE done.name = 'traced_buf_clone_done_timestamp_ns'
ORDER BY done.idx;
