-- How long the recorder took to hand over a copy of what it had recorded.

-- How long it took until a buffer was copied, from when the copy was begun.
CREATE PERFETTO TABLE traced_clone_flush_latency(
  -- The buffer.
  buffer_id LONG,
  -- How long it took.
  duration_ns LONG
) AS
SELECT done.idx AS buffer_id, done.value - begun.value AS duration_ns
FROM stats AS done
JOIN stats AS begun
  ON begun.name = 'traced_clone_started_timestamp_ns' AND begun.value != 0
WHERE done.name = 'traced_buf_clone_done_timestamp_ns'
ORDER BY done.idx;

-- How long it took until a buffer was copied, from when something asked for the copy.
CREATE PERFETTO TABLE traced_trigger_clone_flush_latency(
  -- The buffer.
  buffer_id LONG,
  -- How long it took.
  duration_ns LONG
) AS
SELECT done.idx AS buffer_id, done.value - asked.value AS duration_ns
FROM stats AS done
JOIN stats AS asked
  ON asked.name = 'traced_clone_trigger_timestamp_ns' AND asked.value != 0
WHERE done.name = 'traced_buf_clone_done_timestamp_ns'
ORDER BY done.idx;
