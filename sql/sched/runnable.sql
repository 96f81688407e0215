-- Runnable states of threads before they ran.

-- A running state of a thread, with the runnable states before it.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  -- Running state of the thread; join with `thread_state` on `id`.
  id JOINID(thread_state.id),
  -- Last runnable state (`R` or `R+`) before the running state; NULL if there is none. Join with
  -- `thread_state` on `id`.
  prev_runnable_id JOINID(thread_state.id),
  -- Last state before the running state that started with a wakeup by another thread and not by an
  -- interrupt; NULL if there is none. Join with `thread_state` on `id`.
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
