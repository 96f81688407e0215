-- What took the time of binder calls that wait for a reply, moment by moment.

INCLUDE PERFETTO MODULE android.binder;

-- The innermost of nested slices at each moment. Takes slices with `root_id`, `id`, `parent_id`
-- (among them, or NULL), `ts`, `dur` and `depth`, which nest within each root; gives stretches
-- with `root_id`, `ts`, `dur` and `id`.
CREATE PERFETTO MACRO _android_innermost_slices(
  -- The slices.
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

-- Stretches laid over others. Takes two tables with `root_id`, `ts`, `dur` and `id`, neither of
-- which overlaps itself within a root; gives the pieces of the first with `base_id` and, where the
-- second covers them, `over_id`.
CREATE PERFETTO MACRO _android_overlay(
  -- The stretches that lie below.
  base TableOrSubquery,
  -- The stretches that are laid over them.
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

-- What a slice's name says of what its thread waited for.
CREATE PERFETTO FUNCTION _android_slice_waits_for(
  -- The name.
  name STRING
)
-- As `binder`; NULL for slices that say nothing of it.
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

-- Both ends of the calls that wait, each a root of slices of its own.
CREATE PERFETTO TABLE _binder_roots AS
SELECT * FROM _sync_binder_ends WHERE dur > 0;

-- The slices of each end: its own, and all in it.
CREATE PERFETTO TABLE _binder_root_slices AS
SELECT root.root_id, slice.id, CAST(NULL AS BIGINT) AS parent_id, slice.ts, slice.dur, slice.depth
FROM _binder_roots AS root
JOIN slice ON slice.id = root.root_id
UNION ALL
SELECT root.root_id, below.id, below.parent_id, below.ts, below.dur, below.depth
FROM _binder_roots AS root, descendant_slice(root.root_id) AS below
WHERE below.dur > 0;

-- The states of each end's thread in its course.
CREATE PERFETTO TABLE _binder_root_states AS
SELECT root_id, state_id AS id, state_ts AS ts, state_dur AS dur
FROM _android_states_within!(_binder_roots);

-- Both laid over each other, with what that says of the time. The slices of the call itself say
-- nothing of it.
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

-- A stretch of the time in which a call was served, and what took it.
CREATE PERFETTO TABLE android_binder_server_breakdown(
  -- The caller's slice.
  binder_txn_id JOINID(slice.id),
  -- The slice of the process that is called.
  binder_reply_id JOINID(slice.id),
  -- When the stretch began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- What took it: `monitor_contention`, `art_lock_contention`, `mutex_contention`, `binder`, `io`,
  -- `kernel_memory_reclaim`, `userspace_memory_reclaim`, or else the thread's state.
  reason STRING
) AS
SELECT binder_txn_id, binder_reply_id, ts, dur, reason
FROM _binder_breakdown
WHERE side = 'binder_reply'
ORDER BY ts;

-- A stretch of the time that a call took its caller, and what took it.
CREATE PERFETTO TABLE android_binder_client_breakdown(
  -- The caller's slice.
  binder_txn_id JOINID(slice.id),
  -- The slice of the process that is called.
  binder_reply_id JOINID(slice.id),
  -- When the stretch began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- What took it, as in `android_binder_server_breakdown`.
  reason STRING
) AS
SELECT binder_txn_id, binder_reply_id, ts, dur, reason
FROM _binder_breakdown
WHERE side = 'binder_txn'
ORDER BY ts;

-- A stretch of the time that a call took its caller, and what took it on either side.
CREATE PERFETTO TABLE android_binder_client_server_breakdown(
  -- The caller's slice.
  binder_txn_id JOINID(slice.id),
  -- The slice of the process that is called.
  binder_reply_id JOINID(slice.id),
  -- When the stretch began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- What took it where the call is served; NULL while it is not.
  server_reason STRING,
  -- What took it where it was called.
  client_reason STRING,
  -- The former, or where that is NULL the latter.
  reason STRING,
  -- `server` or `client`: whose that is.
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
