-- How long threads waited for a CPU.

INCLUDE PERFETTO MODULE sched.runnable;

-- A stretch of running, with the wait for a CPU before it.
CREATE PERFETTO TABLE sched_latency_for_running_interval(
  -- The stretch, as a row of `thread_state`.
  thread_state_id JOINID(thread_state.id),
  -- The stretch, as a row of `sched`.
  sched_id JOINID(sched.id),
  -- The thread.
  utid JOINID(thread.id),
  -- The row of `thread_state` in which it waited.
  runnable_latency_id JOINID(thread_state.id),
  -- How long it waited.
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
