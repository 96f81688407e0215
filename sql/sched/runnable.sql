-- What threads waited for before they ran.

-- A stretch of running, with the thread's waits for a CPU before it.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  -- A row of `thread_state` in which the thread ran.
  id JOINID(thread_state.id),
  -- The last row before it in which the thread could have run but did not.
  prev_runnable_id JOINID(thread_state.id),
  -- The last such row that began because another thread woke it, rather than an interrupt.
  prev_wakeup_runnable_id JOINID(thread_state.id)
) AS
WITH ready AS (
  SELECT
    id,
    state,
    max(CASE WHEN state != 'Running' THEN id END) OVER earlier AS prev_runnable_id,
    max(CASE WHEN waker_utid IS NOT NULL AND coalesce(irq_context, 0) != 1 THEN id END)
      OVER earlier AS prev_wakeup_runnable_id
  FROM thread_state
  WHERE state IN ('Running', 'R', 'R+') AND dur != -1
  WINDOW earlier AS (
    PARTITION BY utid ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  )
)
SELECT id, prev_runnable_id, prev_wakeup_runnable_id
FROM ready
WHERE state = 'Running'
ORDER BY id;
