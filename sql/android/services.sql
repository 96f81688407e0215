-- Service bindings between apps.

INCLUDE PERFETTO MODULE android.binder;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Bind requests of the system to services, with the binder call that sent each: the next child of
-- the same slice. The sequence number pairs a request with its receipt in the service process.
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

-- Outermost slice in which each request was sent; it can itself serve a call of an app.
CREATE PERFETTO TABLE _bind_request_roots AS
SELECT request.txn_id, root.ts
FROM _bind_requests AS request
JOIN slice AS root
  ON root.track_id = request.track_id
  AND root.depth = 0
  AND root.ts <= request.ts
  AND root.ts + root.dur >= request.ts;

-- Bind requests that service processes received.
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

-- A service binding: an app bound to a service of another process.
CREATE PERFETTO TABLE android_service_bindings(
  -- Oom score of the client.
  client_oom_score LONG,
  -- Name of the client process; the system server if the call of the app was not recorded.
  client_process STRING,
  -- Name of the client thread.
  client_thread STRING,
  -- Kernel id of the client process.
  client_pid LONG,
  -- Kernel id of the client thread.
  client_tid LONG,
  -- Client process.
  client_upid LONG,
  -- Client thread; join with `thread` on `utid`.
  client_utid LONG,
  -- Start of the request in the client, ns in trace time.
  client_ts TIMESTAMP,
  -- Duration of the request in the client, ns.
  client_dur LONG,
  -- Oom score of the service process.
  server_oom_score LONG,
  -- Name of the service process.
  server_process STRING,
  -- Name of the thread that received the request.
  server_thread STRING,
  -- Kernel id of the service process.
  server_pid LONG,
  -- Kernel id of the thread that received the request.
  server_tid LONG,
  -- Service process; join with `process` on `upid`.
  server_upid LONG,
  -- Thread that received the request; join with `thread` on `utid`.
  server_utid LONG,
  -- Start of the binding in the service, ns in trace time.
  server_ts TIMESTAMP,
  -- Duration of the binding in the service, ns.
  server_dur LONG,
  -- Token of the service record.
  token STRING,
  -- Action of the intent.
  act STRING,
  -- Component of the intent.
  cmp STRING,
  -- Flags of the intent.
  flg STRING,
  -- Sequence number of the binding.
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
