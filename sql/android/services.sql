-- Apps that bound to services of others.

INCLUDE PERFETTO MODULE android.binder;

-- The system's requests to services, each with the call by which it was sent: the next of the same
-- slice's parts on the thread. Their number pairs them with what the service's process received.
CREATE PERFETTO TABLE _bind_requests AS
WITH siblings AS (
  SELECT
    slice.name,
    thread_track.utid,
    slice.track_id,
    slice.ts,
    lead(slice.id) OVER of_parent AS next_id,
    lead(slice.name) OVER of_parent AS next_name
  FROM slice
  JOIN thread_track ON thread_track.id = slice.track_id
  WHERE slice.dur = 0 AND slice.parent_id IS NOT NULL
  WINDOW of_parent AS (PARTITION BY slice.parent_id ORDER BY slice.ts, slice.id)
)
SELECT
  next_id AS txn_id,
  utid,
  track_id,
  ts,
  CAST(nullif(split_part(split_part(name, 'bindSeq=', 2), ' ', 1), '') AS BIGINT) AS bind_seq
FROM siblings
WHERE name GLOB 'requestServiceBinding*' AND next_name = 'binder transaction async';

-- The outermost slice in which each request was sent, which may itself serve an app's call.
CREATE PERFETTO TABLE _bind_request_roots AS
SELECT request.txn_id, root.ts
FROM _bind_requests AS request
JOIN slice AS root
  ON root.track_id = request.track_id
  AND root.depth = 0
  AND root.ts <= request.ts
  AND root.ts + root.dur >= request.ts;

-- What the services' processes received.
CREATE PERFETTO TABLE _bind_receipts AS
SELECT
  ts,
  dur,
  replace(split_part(split_part(name, 'token=', 2), ' ', 1), 'ServiceRecord{', '') AS token,
  nullif(split_part(split_part(name, 'act=', 2), ' ', 1), '') AS act,
  nullif(split_part(split_part(name, 'cmp=', 2), ' ', 1), '') AS cmp,
  nullif(split_part(split_part(name, 'flg=', 2), ' ', 1), '') AS flg,
  CAST(nullif(split_part(split_part(name, 'bindSeq=', 2), '}', 1), '') AS BIGINT) AS bind_seq
FROM slice
WHERE name GLOB 'serviceBind:*';

-- An app that bound to a service of another.
CREATE PERFETTO TABLE android_service_bindings(
  -- The oom score of the app.
  client_oom_score LONG,
  -- The app's process; the system's where the app's call was not recorded.
  client_process STRING,
  -- The thread that asked.
  client_thread STRING,
  -- The number of the app's process.
  client_pid LONG,
  -- The number of the thread.
  client_tid LONG,
  -- The app's process.
  client_upid LONG,
  -- The thread that asked.
  client_utid LONG,
  -- When it asked.
  client_ts TIMESTAMP,
  -- How long asking took.
  client_dur LONG,
  -- The oom score of the service's process.
  server_oom_score LONG,
  -- The service's process.
  server_process STRING,
  -- The thread that took the request.
  server_thread STRING,
  -- The number of the service's process.
  server_pid LONG,
  -- The number of the thread.
  server_tid LONG,
  -- The service's process.
  server_upid LONG,
  -- The thread that took the request.
  server_utid LONG,
  -- When the service was bound.
  server_ts TIMESTAMP,
  -- How long that took.
  server_dur LONG,
  -- The binding's token.
  token STRING,
  -- The intent's action.
  act STRING,
  -- The intent's component.
  cmp STRING,
  -- The intent's flags.
  flg STRING,
  -- The binding's number.
  bind_seq LONG
) AS
SELECT
  coalesce(asking.client_oom_score, sending.client_oom_score) AS client_oom_score,
  coalesce(asking.client_process, sending.client_process) AS client_process,
  coalesce(asking.client_thread, sending.client_thread) AS client_thread,
  coalesce(asking.client_pid, sending.client_pid) AS client_pid,
  coalesce(asking.client_tid, sending.client_tid) AS client_tid,
  coalesce(asking.client_upid, sending.client_upid) AS client_upid,
  coalesce(asking.client_utid, sending.client_utid) AS client_utid,
  coalesce(asking.client_ts, sending.client_ts) AS client_ts,
  coalesce(asking.client_dur, sending.client_dur) AS client_dur,
  sending.server_oom_score,
  sending.server_process,
  sending.server_thread,
  sending.server_pid,
  sending.server_tid,
  sending.server_upid,
  sending.server_utid,
  receipt.ts AS server_ts,
  receipt.dur AS server_dur,
  receipt.token,
  receipt.act,
  receipt.cmp,
  receipt.flg,
  receipt.bind_seq
FROM _bind_requests AS request
JOIN _bind_receipts AS receipt ON receipt.bind_seq = request.bind_seq
LEFT JOIN android_binder_txns AS sending ON sending.binder_txn_id = request.txn_id
LEFT JOIN _bind_request_roots AS root ON root.txn_id = request.txn_id
LEFT JOIN android_binder_txns AS asking
  ON asking.server_utid = request.utid AND asking.server_ts = root.ts
ORDER BY receipt.ts;
