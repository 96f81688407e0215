-- Critical paths of threads: chains of threads that a thread waits for.
--
-- A span of a thread starts when another thread wakes it and ends when the thread next sleeps and
-- is woken by another thread. The id of a span is the id of its first row in `thread_state`.

INCLUDE PERFETTO MODULE graphs.critical_path;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;

-- Rows of `thread_state` with the previous row of the thread.
CREATE PERFETTO VIEW _state_with_previous AS
SELECT
  id, ts, dur, state, utid, waker_id,
  CASE WHEN coalesce(irq_context, 0) = 0 THEN coalesce(io_wait, 0) ELSE 1 END AS is_irq,
  row_number() OVER of_thread AS number,
  lag(state) OVER of_thread AS idle_state,
  lag(blocked_function) OVER of_thread AS idle_reason,
  lag(ts) OVER of_thread AS idle_ts,
  lag(dur) OVER of_thread AS idle_dur
FROM thread_state
WINDOW of_thread AS (PARTITION BY utid ORDER BY id);

-- Rows of `thread_state` in which a thread ran, with the span that contains them.
CREATE PERFETTO TABLE _running_in_span AS
SELECT id, span_id
FROM (
  SELECT
    id, state, dur,
    max(CASE
      WHEN state = 'R' AND dur != -1 AND (waker_id IS NOT NULL OR number = 1) THEN id
    END) OVER (
      PARTITION BY utid ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS span_id
  FROM _state_with_previous
)
WHERE state = 'Running' AND dur != -1;

-- A span of a thread.
CREATE PERFETTO TABLE _wakeup_graph(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Id of the span: its first row in `thread_state`.
  id LONG,
  -- Span in which another thread woke this thread; NULL for a wakeup by an interrupt.
  waker_id LONG,
  -- Start of the span, ns in trace time.
  ts TIMESTAMP,
  -- State of the thread before the span; `IRQ` if an interrupt woke it.
  idle_state STRING,
  -- Kernel function in which the thread was blocked before the span.
  idle_reason STRING,
  -- Time that the thread was idle before the span, ns.
  idle_dur DURATION,
  -- Whether the thread waited for the kernel and not for another thread before the span.
  is_idle_reason_self LONG,
  -- Previous span of the thread.
  prev_id LONG,
  -- Next span of the thread.
  next_id LONG,
  -- Duration from the start of the span until the thread next waits, ns.
  dur DURATION,
  -- Whether the thread waits for the kernel after the span.
  is_next_idle_reason_self LONG
) AS
WITH
  ended AS (
    SELECT utid, max(ts + dur) AS end_ts FROM thread_state WHERE dur != -1 GROUP BY utid
  ),
  woken AS (
    SELECT
      w.utid, w.id, w.ts, w.is_irq, w.idle_ts, w.idle_reason,
      CASE WHEN w.is_irq = 1 THEN 'IRQ' ELSE w.idle_state END AS idle_state,
      CASE WHEN w.is_irq = 0 THEN r.span_id END AS waker_id,
      CASE
        WHEN w.is_irq = 1 OR r.span_id IS NULL OR w.idle_state != 'S' THEN 1 ELSE 0
      END AS is_idle_reason_self
    FROM (
      SELECT
        utid, id, ts, is_irq, waker_id,
        CASE WHEN number > 1 THEN idle_ts END AS idle_ts,
        CASE WHEN number > 1 THEN idle_state END AS idle_state,
        CASE WHEN number > 1 THEN idle_reason END AS idle_reason
      FROM _state_with_previous
      WHERE
        dur != -1
        AND (
          number = 1 AND state = 'R'
          OR waker_id IS NOT NULL AND idle_state IN ('S', 'D', 'I') AND idle_ts + idle_dur = ts
        )
    ) AS w
    LEFT JOIN _running_in_span AS r ON r.id = w.waker_id
  )
SELECT
  w.utid, w.id, w.waker_id, w.ts, w.idle_state, w.idle_reason,
  w.ts - w.idle_ts AS idle_dur,
  w.is_idle_reason_self,
  lag(w.id) OVER of_thread AS prev_id,
  lead(w.id) OVER of_thread AS next_id,
  coalesce(lead(w.idle_ts) OVER of_thread, e.end_ts) - w.ts AS dur,
  lead(w.is_idle_reason_self) OVER of_thread AS is_next_idle_reason_self
FROM woken AS w
LEFT JOIN ended AS e ON e.utid = w.utid
WINDOW of_thread AS (PARTITION BY w.utid ORDER BY w.ts)
ORDER BY w.id;

-- Edges from each span to the span that it waited for; if it waited for the kernel, to the previous
-- span of its thread.
CREATE PERFETTO VIEW _wakeup_userspace_edges AS
SELECT
  id AS source_node_id,
  coalesce(waited_for, id) AS dest_node_id,
  id - coalesce(waited_for, id) AS edge_weight
FROM (
  SELECT id, CASE WHEN is_idle_reason_self = 1 THEN prev_id ELSE waker_id END AS waited_for
  FROM _wakeup_graph
);

-- Edges from each span to the span that woke it.
CREATE PERFETTO VIEW _wakeup_kernel_edges AS
SELECT
  id AS source_node_id,
  coalesce(waker_id, id) AS dest_node_id,
  id - coalesce(waker_id, id) AS edge_weight
FROM _wakeup_graph;

-- Spans as intervals, with the idle time before each.
CREATE PERFETTO VIEW _wakeup_intervals AS
SELECT id, ts, dur, idle_dur FROM _wakeup_graph;

-- Returns the spans that cover intervals of threads, without duplicates: `root_node_id` and
-- `capacity`, the maximum distance back to a span that it waited for.
CREATE PERFETTO MACRO _intervals_to_roots(
  -- Intervals with `ts`, `dur` and `utid`.
  _source_table TableOrSubquery,
  -- Spans with the columns of `_wakeup_graph`.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT DISTINCT
    __span.id AS root_node_id, __span.id - coalesce(__span.prev_id, __span.id) AS capacity
  FROM (
    SELECT
      id, utid, prev_id,
      lag(ts) OVER (PARTITION BY utid ORDER BY ts) AS __before,
      lead(ts) OVER (PARTITION BY utid ORDER BY ts) AS __after
    FROM $_node_table
  ) AS __span
  JOIN $_source_table AS __wanted ON __wanted.utid = __span.utid
  WHERE
    (__span.__after IS NULL OR __span.__after > __wanted.ts)
    AND (__span.__before IS NULL OR __span.__before < __wanted.ts + __wanted.dur)
);

-- Returns the critical paths of spans: what they waited for while their threads were idle, and the
-- spans themselves. Output: `root_id`, `id`, `ts` and `dur`.
CREATE PERFETTO MACRO _critical_path_by_roots(
  -- Spans with `root_node_id` and `capacity`.
  _roots_table TableOrSubquery,
  -- All spans, with the columns of `_wakeup_graph`.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __path AS MATERIALIZED (
      SELECT
        __way.root_id, __way.id, __way.ts, __way.dur, __node.is_idle_reason_self,
        __node.prev_id,
        -- Time before a wait for the kernel is attributed to the following span, for which the
        -- cause of the kernel wait is known.
        CASE
          WHEN __node.is_next_idle_reason_self = 1 THEN __node.next_id ELSE __way.id
        END AS __shown_id
      FROM _critical_path_intervals!(
        _wakeup_userspace_edges, $_roots_table, _wakeup_intervals
      ) AS __way
      JOIN $_node_table AS __node ON __node.id = __way.id
    ),
    __shown AS (
      SELECT DISTINCT root_id, __shown_id AS id, ts, dur FROM __path
    ),
    __kernel AS (
      SELECT DISTINCT
        __stalled.root_id,
        __way.root_id AS parent_id,
        __way.id,
        max(__way.ts, __shown.ts) AS ts,
        min(__way.ts + __way.dur, __shown.ts + __shown.dur) AS __end
      FROM _critical_path_intervals!(
        _wakeup_kernel_edges,
        (
          SELECT DISTINCT id AS root_node_id, id - coalesce(prev_id, id) AS capacity
          FROM __path
          WHERE is_idle_reason_self = 1
        ),
        _wakeup_intervals
      ) AS __way
      JOIN (
        SELECT DISTINCT root_id, id FROM __path WHERE is_idle_reason_self = 1
      ) AS __stalled ON __stalled.id = __way.root_id
      JOIN __shown
        ON __shown.root_id = __stalled.root_id AND __shown.id = __way.root_id
      WHERE __way.id != __way.root_id
    )
  SELECT root_id, id, ts, dur
  FROM _intervals_flatten!((
    SELECT
      root_id, parent_id, id, ts, dur,
      min(ts) OVER (PARTITION BY root_id) AS root_ts,
      max(ts + dur) OVER (PARTITION BY root_id) - min(ts) OVER (PARTITION BY root_id)
        AS root_dur
    FROM (
      SELECT root_id, root_id AS parent_id, id, ts, dur FROM __shown
      UNION ALL
      SELECT root_id, parent_id, id, ts, __end - ts FROM __kernel WHERE __end > ts
    )
  ))
);

-- Returns the critical paths of threads in intervals: `root_utid` of the thread, `utid` of the
-- thread it waited for (or itself), `root_id` and `id` of their spans, `ts`, `dur`, and
-- `interval_ts` and `interval_dur` of the interval.
CREATE PERFETTO MACRO _critical_path_by_intervals(
  -- Intervals with `ts`, `dur` and `utid`.
  _intervals_table TableOrSubquery,
  -- All spans, with the columns of `_wakeup_graph`.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __root.utid AS root_utid,
    __node.utid,
    __path.root_id,
    __path.id,
    max(__path.ts, __wanted.ts) AS ts,
    min(__path.ts + __path.dur, __wanted.ts + __wanted.dur) - max(__path.ts, __wanted.ts) AS dur,
    __wanted.ts AS interval_ts,
    __wanted.dur AS interval_dur
  FROM _critical_path_by_roots!(
    _intervals_to_roots!($_intervals_table, $_node_table), $_node_table
  ) AS __path
  JOIN $_node_table AS __root ON __root.id = __path.root_id
  JOIN $_node_table AS __node ON __node.id = __path.id
  JOIN $_intervals_table AS __wanted
    ON __wanted.utid = __root.utid
    AND __path.ts < __wanted.ts + __wanted.dur AND __path.ts + __path.dur > __wanted.ts
);

-- Returns the critical path of a thread in an interval.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path(
  -- Thread; join with `thread` on `utid`.
  root_utid JOINID(thread.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION
)
RETURNS TABLE(
  -- Thread; join with `thread` on `utid`.
  root_utid JOINID(thread.id),
  -- Span of the thread.
  root_id LONG,
  -- Span that the thread waited for, or its own span.
  id LONG,
  -- Start of the interval on the critical path, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread that was waited for, or the thread itself; join with `thread` on `utid`.
  utid JOINID(thread.id)
) AS
SELECT root_utid, root_id, id, ts, dur, utid
FROM _critical_path_by_intervals!(
  (SELECT $root_utid AS utid, $ts AS ts, $dur AS dur), _wakeup_graph
);
