-- Broadcasts that the system delivered to apps.

INCLUDE PERFETTO MODULE android.process_metadata;

-- Deliveries by each queue, `<record> <action>/… scheduled`, within a slice of the process,
-- `<queue> <pid>:<process>/… running`. `event_id` and `ts` are those of the delivery, `pid` that of
-- the process.
CREATE PERFETTO TABLE _broadcasts_handed_out AS
SELECT
  broadcast.id AS event_id,
  broadcast.ts,
  broadcast.dur,
  broadcast.track_id,
  split_part(broadcast.name, ' ', 1) AS record_id,
  nullif(split_part(split_part(broadcast.name, '/', 1), ' ', 2), '') AS intent_action,
  split_part(turn.name, ' ', 1) AS process_queue_id,
  CAST(nullif(split_part(split_part(split_part(turn.name, '/', 1), ' ', 2), ':', 1), '') AS BIGINT)
    AS pid,
  nullif(split_part(split_part(split_part(turn.name, '/', 1), ' ', 2), ':', 2), '')
    AS process_name,
  CAST(nullif(split_part(split_part(track.name, '[', 2), ']', 1), '') AS BIGINT) AS queue_id
FROM slice AS broadcast
JOIN slice AS turn ON turn.id = broadcast.parent_id
JOIN process_track AS track ON track.id = turn.track_id
JOIN process ON process.upid = track.upid
WHERE
  broadcast.name GLOB '* scheduled'
  AND turn.name GLOB '* running'
  AND track.name GLOB 'BroadcastQueue.mRunning*'
  AND process.name = 'system_server';

-- A broadcast delivered to a process, on Android 14 and later.
CREATE PERFETTO TABLE _android_broadcasts_minsdk_u(
  -- Id of the broadcast record.
  record_id STRING,
  -- Action of the intent.
  intent_action STRING,
  -- Name of the receiving process.
  process_name STRING,
  -- Kernel id of the receiving process.
  pid LONG,
  -- Receiving process; NULL if unknown. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Queue of the receiving process.
  process_queue_id STRING,
  -- Number of the system queue.
  queue_id LONG,
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Start of the delivery, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the delivery, ns.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id)
) AS
SELECT
  handed.record_id,
  handed.intent_action,
  handed.process_name,
  handed.pid,
  found.upid,
  handed.process_queue_id,
  handed.queue_id,
  handed.event_id AS id,
  handed.ts,
  handed.dur,
  handed.track_id
FROM _broadcasts_handed_out AS handed
LEFT JOIN _android_process_of_pid!(_broadcasts_handed_out) AS found
  ON found.event_id = handed.event_id
ORDER BY handed.ts;
