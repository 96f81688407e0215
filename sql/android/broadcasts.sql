-- Broadcasts that the system handed to apps.

INCLUDE PERFETTO MODULE android.process_metadata;

-- What each queue handed out, `<record> <action>/… scheduled`, within the turn of a process,
-- `<queue> <pid>:<process>/… running`. `event_id`, `pid` and `ts` are of the former.
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

-- A broadcast handed to a process, on Android 14 and later.
CREATE PERFETTO TABLE _android_broadcasts_minsdk_u(
  -- The broadcast's record.
  record_id STRING,
  -- The intent's action.
  intent_action STRING,
  -- The process it was handed to.
  process_name STRING,
  -- That process's number.
  pid LONG,
  -- That process.
  upid JOINID(process.id),
  -- The queue of that process.
  process_queue_id STRING,
  -- The system's queue.
  queue_id LONG,
  -- The slice.
  id JOINID(slice.id),
  -- When it was handed out.
  ts TIMESTAMP,
  -- How long that took.
  dur DURATION,
  -- The slice's track.
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
