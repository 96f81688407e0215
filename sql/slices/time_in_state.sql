-- Scheduling states of threads within slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- A slice with the time that its thread spent in a scheduling state within it. Slices without an
-- end are left out.
CREATE PERFETTO TABLE thread_slice_time_in_state(
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process of the thread; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Scheduling state, as in `thread_state.state`.
  state STRING,
  -- Whether the state waits for I/O; NULL if unknown.
  io_wait BOOL,
  -- Kernel function in which the thread was blocked; NULL if unknown.
  blocked_function STRING,
  -- Time in the state within the slice, ns.
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
