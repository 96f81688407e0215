-- What the threads of slices did in them: run, wait for a CPU, sleep.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- A slice with how long its thread was in a state within it. Slices whose end was not seen are
-- left out.
CREATE PERFETTO TABLE thread_slice_time_in_state(
  -- The slice.
  id JOINID(slice.id),
  -- The slice's name.
  name STRING,
  -- The thread.
  utid JOINID(thread.id),
  -- The thread's name.
  thread_name STRING,
  -- The thread's process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- The state, as `thread_state.state` has it.
  state STRING,
  -- Whether the thread waited for input or output.
  io_wait BOOL,
  -- The kernel's function in which it waited.
  blocked_function STRING,
  -- For how long.
  dur DURATION
) AS
WITH spent AS (
  SELECT i.id_0 AS id, t.state, t.io_wait, t.blocked_function, sum(i.dur) AS dur
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0),
      (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
    ),
    (utid)
  ) AS i
  JOIN thread_state AS t ON t.id = i.id_1
  GROUP BY i.id_0, t.state, t.io_wait, t.blocked_function
)
SELECT
  s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name,
  p.state, p.io_wait, p.blocked_function, p.dur
FROM spent AS p
JOIN thread_slice AS s ON s.id = p.id
ORDER BY s.id;
