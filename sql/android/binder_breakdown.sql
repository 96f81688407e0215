-- Breakdown of the time of synchronous binder calls by reason.

INCLUDE PERFETTO MODULE android.binder;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.with_context;

-- Returns the innermost slice at each time. Input: slices with `root_id`, `id`, `parent_id` (an
-- input slice or NULL), `ts`, `dur` and `depth` that nest within each root. Output: intervals with
-- `root_id`, `ts`, `dur` and `id`.
CREATE PERFETTO MACRO _android_innermost_slices(
  -- Slices to flatten.
  slices TableOrSubquery
)
RETURNS TableOrSubquery AS (
  SELECT root_id, ts, dur, id
  FROM (
    SELECT
      root_id,
      ts,
      lead(ts) OVER (PARTITION BY root_id ORDER BY ts, is_start, depth_order) - ts AS dur,
      id
    FROM (
      SELECT root_id, ts, 1 AS is_start, depth AS depth_order, id FROM $slices
      UNION ALL
      SELECT root_id, ts + dur AS ts, 0 AS is_start, -depth AS depth_order, parent_id AS id
      FROM $slices
    )
  )
  WHERE dur > 0 AND id IS NOT NULL
);

-- Splits intervals where others overlap them. Input: two tables with `root_id`, `ts`, `dur` and
-- `id`; the intervals of one table must not overlap within a root. Output: segments of the first
-- table with `base_id`, and with `over_id` where the second table covers them, else NULL.
CREATE PERFETTO MACRO _android_overlay(
  -- Base intervals.
  base TableOrSubquery,
  -- Intervals to lay over the base intervals.
  over_base TableOrSubquery
)
RETURNS TableOrSubquery AS (
  SELECT root_id, ts, dur, base_id, nullif(over_id, -1) AS over_id
  FROM (
    SELECT
      root_id,
      ts,
      lead(ts) OVER of_root - ts AS dur,
      last_value(base_mark) IGNORE NULLS OVER of_root AS base_id,
      last_value(over_mark) IGNORE NULLS OVER of_root AS over_id
    FROM (
      SELECT root_id, ts, max(base_mark) AS base_mark, max(over_mark) AS over_mark
      FROM (
        SELECT root_id, ts, id AS base_mark, CAST(NULL AS BIGINT) AS over_mark FROM $base
        UNION ALL
        SELECT root_id, ts + dur AS ts, -1 AS base_mark, CAST(NULL AS BIGINT) AS over_mark
        FROM $base
        UNION ALL
        SELECT root_id, ts, CAST(NULL AS BIGINT) AS base_mark, id AS over_mark FROM $over_base
        UNION ALL
        SELECT root_id, ts + dur AS ts, CAST(NULL AS BIGINT) AS base_mark, -1 AS over_mark
        FROM $over_base
      )
      GROUP BY root_id, ts
    )
    WINDOW of_root AS (PARTITION BY root_id ORDER BY ts)
  )
  WHERE dur > 0 AND base_id >= 0
);

-- Derives from the name of a slice the resource that its thread waits for.
CREATE PERFETTO FUNCTION _android_slice_waits_for(
  -- Name of the slice.
  name STRING
)
-- Reason, such as `binder`; NULL if the name does not indicate a wait.
RETURNS STRING AS
SELECT
  CASE
    WHEN $name = 'mm_vmscan_direct_reclaim' THEN 'kernel_memory_reclaim'
    WHEN $name GLOB 'GC: Wait For*' THEN 'userspace_memory_reclaim'
    WHEN $name GLOB 'monitor contention*' THEN 'monitor_contention'
    WHEN $name GLOB 'Lock contention on a monitor lock*' THEN 'monitor_contention'
    WHEN $name GLOB 'Lock contention*' THEN 'art_lock_contention'
    WHEN $name IN ('binder transaction', 'binder reply') THEN 'binder'
    WHEN $name = 'Contending for pthread mutex' THEN 'mutex_contention'
  END;

-- Both ends of synchronous calls; each end is a root.
CREATE PERFETTO TABLE _binder_roots AS
SELECT * FROM _sync_binder_ends WHERE dur > 0;

-- Slices of each end: the slice of the end and its descendants.
CREATE PERFETTO TABLE _binder_root_slices AS
SELECT root.root_id, slice.id, CAST(NULL AS BIGINT) AS parent_id, slice.ts, slice.dur, slice.depth
FROM _binder_roots AS root
JOIN slice ON slice.id = root.root_id
UNION ALL
SELECT root.root_id, below.id, below.parent_id, below.ts, below.dur, below.depth
FROM _binder_roots AS root, descendant_slice(root.root_id) AS below
WHERE below.dur > 0;

-- Scheduling states of the thread of each end during the end.
CREATE PERFETTO TABLE _binder_root_states AS
SELECT root_id, state_id AS id, state_ts AS ts, state_dur AS dur
FROM _android_states_within!(_binder_roots);

-- Segments of each end with thread state and innermost slice, and the reason derived from both. The
-- slices of the call itself do not indicate a reason.
CREATE PERFETTO TABLE _binder_breakdown AS
WITH pieces AS (
  SELECT
    piece.root_id,
    piece.ts,
    piece.dur,
    root.side,
    root.binder_txn_id,
    root.binder_reply_id,
    state.state,
    state.io_wait,
    CASE
      WHEN slice.id NOT IN (root.binder_txn_id, root.binder_reply_id)
        THEN _android_slice_waits_for(slice.name)
    END AS waits_for
  FROM _android_overlay!(
    _binder_root_states,
    _android_innermost_slices!(_binder_root_slices)
  ) AS piece
  JOIN _binder_roots AS root USING (root_id)
  JOIN thread_state AS state ON state.id = piece.base_id
  JOIN slice ON slice.id = piece.over_id
)
SELECT
  row_number() OVER (ORDER BY root_id, ts) AS id,
  side,
  binder_txn_id,
  binder_reply_id,
  ts,
  dur,
  CAST(
    CASE
      WHEN state = 'S' OR waits_for GLOB '*_memory_reclaim' THEN coalesce(waits_for, state)
      WHEN state <> 'S' AND io_wait = 1 THEN 'io'
      ELSE state
    END AS TEXT
  ) AS reason
FROM pieces;

-- A segment of the time in which a server handled a binder call, with its reason.
CREATE PERFETTO TABLE android_binder_server_breakdown(
  -- Slice of the call in the client; join with `slice` on `id`.
  binder_txn_id JOINID(slice.id),
  -- Slice of the reply in the server; join with `slice` on `id`.
  binder_reply_id JOINID(slice.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Reason: `monitor_contention`, `art_lock_contention`, `mutex_contention`, `binder`, `io`,
  -- `kernel_memory_reclaim`, `userspace_memory_reclaim`, or else the thread state.
  reason STRING
) AS
SELECT binder_txn_id, binder_reply_id, ts, dur, reason
FROM _binder_breakdown
WHERE side = 'binder_reply'
ORDER BY ts;

-- A segment of the time that a binder call took in the client, with its reason.
CREATE PERFETTO TABLE android_binder_client_breakdown(
  -- Slice of the call in the client; join with `slice` on `id`.
  binder_txn_id JOINID(slice.id),
  -- Slice of the reply in the server; join with `slice` on `id`.
  binder_reply_id JOINID(slice.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Reason, as in `android_binder_server_breakdown`.
  reason STRING
) AS
SELECT binder_txn_id, binder_reply_id, ts, dur, reason
FROM _binder_breakdown
WHERE side = 'binder_txn'
ORDER BY ts;

-- A segment of the time that a binder call took in the client, with the reasons on both sides.
CREATE PERFETTO TABLE android_binder_client_server_breakdown(
  -- Slice of the call in the client; join with `slice` on `id`.
  binder_txn_id JOINID(slice.id),
  -- Slice of the reply in the server; join with `slice` on `id`.
  binder_reply_id JOINID(slice.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Reason in the server; NULL while the server does not handle the call.
  server_reason STRING,
  -- Reason in the client.
  client_reason STRING,
  -- `server_reason`, or `client_reason` where that is NULL.
  reason STRING,
  -- Side of `reason`: `server` or `client`.
  reason_type STRING
) AS
SELECT
  client.binder_txn_id,
  client.binder_reply_id,
  piece.ts,
  piece.dur,
  server.reason AS server_reason,
  client.reason AS client_reason,
  coalesce(server.reason, client.reason) AS reason,
  CASE WHEN server.reason IS NOT NULL THEN 'server' ELSE 'client' END AS reason_type
FROM _android_overlay!(
  (SELECT binder_txn_id AS root_id, ts, dur, id FROM _binder_breakdown WHERE side = 'binder_txn'),
  (SELECT binder_txn_id AS root_id, ts, dur, id FROM _binder_breakdown WHERE side = 'binder_reply')
) AS piece
JOIN _binder_breakdown AS client ON client.id = piece.base_id
LEFT JOIN _binder_breakdown AS server ON server.id = piece.over_id
ORDER BY piece.ts;
