-- What threads did in their slices, by the innermost slice at the time.

INCLUDE PERFETTO MODULE slices.flat_slices;

CREATE VIRTUAL TABLE __flat_slice_with_state USING SPAN_JOIN(
  _slice_flattened PARTITIONED utid,
  thread_state PARTITIONED utid
);

-- What a thread did in a slice and the slices in it, piece by piece.
CREATE PERFETTO FUNCTION _get_flattened_thread_state(
  -- The slice; NULL for the first one of the thread.
  slice_id JOINID(slice.id),
  -- The thread; NULL for that of the slice.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- When the piece begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id),
  -- How many slices the innermost slice lies in.
  depth LONG,
  -- The innermost slice's name.
  name STRING,
  -- The innermost slice.
  slice_id JOINID(slice.id),
  -- The slices' track.
  track_id JOINID(track.id),
  -- The CPU the thread ran on.
  cpu LONG,
  -- The state, as `thread_state.state` has it.
  state STRING,
  -- Whether the thread waited for input or output.
  io_wait LONG,
  -- The kernel's function in which it waited.
  blocked_function STRING,
  -- The thread that woke it.
  waker_utid JOINID(thread.id),
  -- Whether an interrupt woke it.
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

-- How long the thread was in each state in a slice and each slice in it; NULL where it never was.
CREATE PERFETTO FUNCTION _get_flattened_thread_state_aggregated(
  -- The slice; NULL for the first one of the thread.
  slice_id JOINID(slice.id),
  -- The thread; NULL for that of the slice.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- The innermost slice.
  slice_id JOINID(slice.id),
  -- Its name.
  slice_name STRING,
  -- Sleep not open to signals, other than for input or output.
  uninterruptible_sleep_nonio LONG,
  -- Sleep not open to signals, for input or output.
  uninterruptible_sleep_io LONG,
  -- Waiting for a CPU.
  runnable LONG,
  -- Sleep until something wakes it.
  sleeping LONG,
  -- Stopped by a signal.
  stopped LONG,
  -- Stopped by a debugger.
  traced LONG,
  -- Gone.
  exit_dead LONG,
  -- Ended and not yet asked for its result.
  exit_zombie LONG,
  -- Gone for good.
  task_dead LONG,
  -- Sleep that only fatal signals end.
  wake_kill LONG,
  -- Being woken.
  waking LONG,
  -- Parked by the kernel.
  parked LONG,
  -- Sleep that does not count as load.
  no_load LONG,
  -- Waiting for a CPU since another thread took it.
  runnable_preempted LONG,
  -- Running.
  running LONG,
  -- Idle.
  idle LONG,
  -- In any state.
  dur DURATION,
  -- How many slices the slice lies in.
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
