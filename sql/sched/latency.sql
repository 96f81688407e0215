-- Scheduling latency of threads.

INCLUDE PERFETTO MODULE sched.runnable;

-- A span in which a thread ran, with the time that it was runnable before.
CREATE PERFETTO TABLE sched_latency_for_running_interval(
  -- State of the span; join with `thread_state` on `id`.
  thread_state_id JOINID(thread_state.id),
  -- Time slice of the span; join with `sched` on `id`.
  sched_id JOINID(sched.id),
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Runnable state before the span; join with `thread_state` on `id`.
  runnable_latency_id JOINID(thread_state.id),
  -- Time that the thread was runnable before the span, ns.
  latency_dur LONG
) AS
SELECT
  ran.id AS thread_state_id,
  sched.id AS sched_id,
  ran.utid,
  waited.id AS runnable_latency_id,
  waited.dur AS latency_dur
FROM sched_previous_runnable_on_thread AS pair
JOIN thread_state AS ran ON ran.id = pair.id
JOIN thread_state AS waited ON waited.id = pair.prev_runnable_id
JOIN sched ON sched.utid = ran.utid AND sched.ts = ran.ts AND sched.dur = ran.dur
ORDER BY thread_state_id;
