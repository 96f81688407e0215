-- Calls that keep the main thread or the render thread of an app from its frame.

INCLUDE PERFETTO MODULE android.binder;

INCLUDE PERFETTO MODULE android.slices;

INCLUDE PERFETTO MODULE slices.with_context;

-- Name patterns of slices that are blocking calls.
CREATE PERFETTO TABLE _blocking_call_patterns AS
SELECT column1 AS pattern
FROM (
  VALUES
    -- Parts of a frame.
    ('animation'), ('configChanged'), ('input'), ('layout'), ('measure'), ('traversal'),
    ('inflate*'), ('relayoutWindow*'), ('NotificationStackScrollLayout#onMeasure'),
    ('ExpNotRow#*'), ('Recomposer:*'), ('Compose:*'), ('draw-VRI*'),
    -- Drawing.
    ('postAndWait'), ('CreateGraphicsPipeline'), ('flush layers'), ('flush commands'),
    ('queueBuffer'), ('drawLayer *'), ('DrawFrames*'), ('Texture upload*'),
    ('ImageDecoder#decode*'),
    -- Waiting for locks, memory, files and other processes.
    ('Contending for pthread mutex'), ('monitor contention with*'), ('Lock contention on*'),
    ('SuspendThreadByThreadId*'), ('GC: Wait For*'), ('LoadApkAssetsFd*'),
    ('*binder transaction*'), ('android.os.Handler: kotlinx.coroutines*')
);

-- Names of slices that are blocking calls: those that match a pattern, and messages to handlers
-- other than those of frames and input.
CREATE PERFETTO TABLE _blocking_call_names AS
WITH names AS (
  SELECT DISTINCT name FROM slice WHERE name IS NOT NULL
)
SELECT names.name
FROM names
JOIN _blocking_call_patterns AS call ON names.name GLOB call.pattern
UNION
SELECT name
FROM names
WHERE
  (name GLOB '*Handler: *$*' OR name GLOB '*.*.*: *$*' OR name GLOB '*.*$*: #*')
  AND name NOT GLOB 'android.os.Handler: #*'
  AND name NOT GLOB '*Choreographer*'
  AND name NOT GLOB '*[Ii]nput*';

-- Time in each `DrawFrames` slice that the thread waits for the release of a buffer.
CREATE PERFETTO TABLE _buffer_waits AS
SELECT drawing.id, sum(waiting.dur) AS dur
FROM thread_slice AS drawing
JOIN thread_slice AS waiting
  ON waiting.utid = drawing.utid
  AND waiting.ts >= drawing.ts
  AND waiting.ts < drawing.ts + drawing.dur
WHERE drawing.name GLOB 'DrawFrames*' AND waiting.name = 'waitForBufferRelease'
GROUP BY drawing.id;

-- A blocking call of a thread.
CREATE PERFETTO TABLE _android_critical_blocking_calls(
  -- Name of the call: the normalized name of the slice, `drawLayer` for the drawing of any layer,
  -- or the interface and method of a binder call.
  name STRING,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if the end is not in the trace. For `DrawFrames`, without the time in which
  -- the thread waits for the release of a buffer.
  dur DURATION,
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Name of the process.
  process_name STRING,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- End, ns in trace time: `ts` plus `dur`.
  ts_end TIMESTAMP
) AS
WITH calls AS (
  SELECT
    android_standardize_slice_name(call.name) AS name,
    call.ts,
    CASE
      WHEN waits.dur IS NULL OR call.dur < 0 THEN call.dur
      ELSE greatest(call.dur - waits.dur, 0)
    END AS dur,
    call.id,
    call.process_name,
    call.utid,
    call.upid
  FROM thread_slice AS call
  JOIN _blocking_call_names AS blocking ON blocking.name = call.name
  LEFT JOIN _buffer_waits AS waits ON waits.id = call.id
  UNION ALL
  SELECT 'drawLayer' AS name, ts, dur, id, process_name, utid, upid
  FROM thread_slice
  WHERE name GLOB 'drawLayer *'
  UNION ALL
  SELECT
    aidl_name AS name,
    client_ts AS ts,
    client_dur AS dur,
    binder_txn_id AS id,
    client_process AS process_name,
    client_utid AS utid,
    client_upid AS upid
  FROM android_binder_txns
  WHERE is_sync = 1 AND aidl_name IS NOT NULL
)
SELECT name, ts, dur, id, process_name, utid, upid, ts + dur AS ts_end
FROM calls
ORDER BY ts, id;

-- Tests whether a slice is a blocking call of notifications.
CREATE PERFETTO FUNCTION _is_relevant_notifications_blocking_call(
  -- Name of the slice.
  name STRING,
  -- Duration of the slice, ns.
  dur LONG
)
-- 1 for a measurement of the notification list that took time, else 0.
RETURNS BOOL AS
SELECT $name = 'NotificationStackScrollLayout#onMeasure' AND $dur > 0;
