-- Scheduling states of threads, split by the innermost slice.

INCLUDE PERFETTO MODULE slices.flat_slices;

CREATE VIRTUAL TABLE __flat_slice_with_state USING SPAN_JOIN(
  _slice_flattened PARTITIONED utid,
  thread_state PARTITIONED utid
);

-- Returns the scheduling states of a thread in a slice and its descendants, split by the innermost
-- slice.
CREATE PERFETTO FUNCTION _get_flattened_thread_state(
  -- Slice; NULL for the first slice of the thread.
  slice_id JOINID(slice.id),
  -- Thread; NULL for the thread of the slice.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- Start of the segment, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the segment, ns.
  dur DURATION,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Number of ancestors of the innermost slice; 0 for a top-level slice.
  depth LONG,
  -- Name of the innermost slice.
  name STRING,
  -- Innermost slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Track of the slices; join with `track` on `id`.
  track_id JOINID(track.id),
  -- CPU number on its machine; NULL if the thread is not running.
  cpu LONG,
  -- Scheduling state, as in `thread_state.state`.
  state STRING,
  -- Whether the state waits for I/O; NULL if unknown.
  io_wait LONG,
  -- Kernel function in which the thread was blocked; NULL if unknown.
  blocked_function STRING,
  -- Thread that woke the thread; NULL if unknown. Join with `thread` on `utid`.
  waker_utid JOINID(thread.id),
  -- Whether an interrupt woke the thread.
  irq_context LONG
) AS
SELECT
  f.ts, f.dur, f.utid, f.depth, f.name, f.slice_id, f.track_id, f.cpu, f.state, f.io_wait,
  f.blocked_function, f.waker_utid, f.irq_context
FROM __flat_slice_with_state AS f
JOIN (
  SELECT s.ts, s.dur, s.track_id
  FROM slice AS s
  JOIN thread_track AS t ON t.id = s.track_id
  WHERE s.id = coalesce($slice_id, s.id) AND t.utid = coalesce($utid, t.utid)
  ORDER BY s.id
  LIMIT 1
) AS wanted ON wanted.track_id = f.track_id
WHERE f.ts >= wanted.ts AND f.ts < wanted.ts + wanted.dur;

-- Returns the time in ns that a thread spent in each scheduling state in a slice and in each of its
-- descendants. A state that did not occur is NULL.
CREATE PERFETTO FUNCTION _get_flattened_thread_state_aggregated(
  -- Slice; NULL for the first slice of the thread.
  slice_id JOINID(slice.id),
  -- Thread; NULL for the thread of the slice.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- Innermost slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Name of the slice.
  slice_name STRING,
  -- Time in uninterruptible sleep, not for I/O (`D`), ns.
  uninterruptible_sleep_nonio LONG,
  -- Time in uninterruptible sleep for I/O (`D`), ns.
  uninterruptible_sleep_io LONG,
  -- Time runnable (`R`), ns.
  runnable LONG,
  -- Time in interruptible sleep (`S`), ns.
  sleeping LONG,
  -- Time stopped by a signal (`T`), ns.
  stopped LONG,
  -- Time stopped by a debugger (`t`), ns.
  traced LONG,
  -- Time in exit state dead (`X`), ns.
  exit_dead LONG,
  -- Time as a zombie (`Z`), ns.
  exit_zombie LONG,
  -- Time in state task dead (`x`), ns.
  task_dead LONG,
  -- Time in sleep that only fatal signals end (`K`), ns.
  wake_kill LONG,
  -- Time in state waking (`W`), ns.
  waking LONG,
  -- Time parked by the kernel (`P`), ns.
  parked LONG,
  -- Time in sleep that does not count as load (`N`), ns.
  no_load LONG,
  -- Time runnable after preemption (`R+`), ns.
  runnable_preempted LONG,
  -- Time running on a CPU, ns.
  running LONG,
  -- Time idle (`I`), ns.
  idle LONG,
  -- Total time in all states, ns.
  dur DURATION,
  -- Number of ancestors of the slice; 0 for a top-level slice.
  depth LONG
) AS
SELECT
  slice_id,
  max(name) AS slice_name,
  sum(dur) FILTER (WHERE state = 'D' AND io_wait = 0) AS uninterruptible_sleep_nonio,
  sum(dur) FILTER (WHERE state = 'D' AND io_wait = 1) AS uninterruptible_sleep_io,
  sum(dur) FILTER (WHERE state = 'R') AS runnable,
  sum(dur) FILTER (WHERE state = 'S') AS sleeping,
  sum(dur) FILTER (WHERE state = 'T') AS stopped,
  sum(dur) FILTER (WHERE state = 't') AS traced,
  sum(dur) FILTER (WHERE state = 'X') AS exit_dead,
  sum(dur) FILTER (WHERE state = 'Z') AS exit_zombie,
  sum(dur) FILTER (WHERE state = 'x') AS task_dead,
  sum(dur) FILTER (WHERE state = 'K') AS wake_kill,
  sum(dur) FILTER (WHERE state = 'W') AS waking,
  sum(dur) FILTER (WHERE state = 'P') AS parked,
  sum(dur) FILTER (WHERE state = 'N') AS no_load,
  sum(dur) FILTER (WHERE state = 'R+') AS runnable_preempted,
  sum(dur) FILTER (WHERE state = 'Running') AS running,
  sum(dur) FILTER (WHERE state = 'I') AS idle,
  sum(dur) AS dur,
  max(depth) AS depth
FROM _get_flattened_thread_state($slice_id, $utid)
GROUP BY slice_id;
