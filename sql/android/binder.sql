-- Calls between processes through binder, each with both of its ends.

INCLUDE PERFETTO MODULE android.process_metadata;

INCLUDE PERFETTO MODULE android.suspend;

-- How many slices of each kind binder has on each process.
CREATE PERFETTO VIEW android_binder_metrics_by_process(
  -- The process.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The kind: `binder transaction`, `binder reply`…
  slice_name STRING,
  -- How many there are.
  event_count LONG
) AS
SELECT process.name AS process_name, process.pid, slice.name AS slice_name, count(*) AS event_count
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE slice.name GLOB 'binder*'
GROUP BY process.name, process.pid, slice.name;

-- The slices of binder's two ends, with their threads and processes.
CREATE PERFETTO TABLE _binder_ends AS
SELECT
  slice.id,
  slice.name,
  slice.ts,
  slice.dur,
  slice.track_id,
  thread.utid,
  thread.tid,
  thread.name AS thread_name,
  thread.is_main_thread,
  process.upid,
  process.pid,
  process.name AS process_name
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE
  slice.name IN (
    'binder transaction', 'binder reply', 'binder transaction async', 'binder async rcv'
  );

-- Calls that wait for a reply and yet have slices of the caller's within: a thread that waits does
-- nothing but serve calls nested in its own, so these were put together wrongly.
CREATE PERFETTO TABLE _broken_binder_txns AS
SELECT txn.id
FROM slice AS txn
JOIN slice AS child ON child.parent_id = txn.id
WHERE txn.name = 'binder transaction'
GROUP BY txn.id
HAVING count(*) FILTER (WHERE child.name GLOB 'binder*') = 0;

-- The interface's slice in each reply: what the service's code calls itself.
CREATE PERFETTO TABLE _aidl_of_reply AS
SELECT reply_id, name, ts, dur
FROM (
  SELECT
    reply.id AS reply_id,
    aidl.name,
    aidl.ts,
    aidl.dur,
    row_number() OVER (PARTITION BY reply.id ORDER BY aidl.ts, aidl.id) AS nth
  FROM slice AS aidl
  JOIN slice AS reply ON reply.id = aidl.parent_id AND reply.name = 'binder reply'
  WHERE
    aidl.name GLOB 'AIDL::*server'
    OR aidl.name GLOB 'AIDL::*Server'
    OR aidl.name GLOB 'HIDL::*server'
)
WHERE nth = 1;

-- The same for calls that wait for no reply: the slice that comes next on the thread that took
-- the call, where that is an interface's.
CREATE PERFETTO TABLE _aidl_of_received AS
SELECT id AS reply_id, next_name AS name, next_ts AS ts, next_dur AS dur
FROM (
  SELECT
    id,
    name,
    lead(name) OVER on_track AS next_name,
    lead(ts) OVER on_track AS next_ts,
    lead(dur) OVER on_track AS next_dur
  FROM slice
  WHERE
    name = 'binder async rcv'
    OR name GLOB 'AIDL::*server'
    OR name GLOB 'AIDL::*Server'
    OR name GLOB 'HIDL::*server'
  WINDOW on_track AS (PARTITION BY track_id ORDER BY ts, id)
)
WHERE name = 'binder async rcv' AND next_name <> 'binder async rcv';

-- The pairs of ends that belong together.
CREATE PERFETTO TABLE _binder_pairs AS
SELECT
  client.id AS client_id,
  server.id AS server_id,
  client.name = 'binder transaction' AS is_sync
FROM flow
JOIN _binder_ends AS client ON client.id = flow.slice_out
JOIN _binder_ends AS server ON server.id = flow.slice_in
LEFT JOIN _broken_binder_txns AS broken ON broken.id = client.id
WHERE
  broken.id IS NULL
  AND (
    (client.name = 'binder transaction' AND server.name = 'binder reply')
    OR (client.name = 'binder transaction async' AND server.name = 'binder async rcv')
  );

-- The oom score of each process, with the time of the next one.
CREATE PERFETTO TABLE _binder_oom_scores AS
SELECT
  track.upid,
  counter.ts,
  lead(counter.ts, 1, trace_end() + 1) OVER (PARTITION BY track.upid ORDER BY counter.ts)
    AS next_ts,
  CAST(counter.value AS BIGINT) AS score
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'oom_score_adj';

-- The score that each end's process had when the end began: ends and scores in one order of time.
CREATE PERFETTO TABLE _oom_score_of_end AS
WITH both_kinds AS (
  SELECT upid, ts, 0 AS kind, ts AS score_ts, CAST(NULL AS BIGINT) AS end_id
  FROM _binder_oom_scores
  UNION ALL
  SELECT upid, ts, 1 AS kind, CAST(NULL AS BIGINT) AS score_ts, id AS end_id
  FROM _binder_ends
),
latest AS (
  SELECT upid, end_id, max(score_ts) OVER (PARTITION BY upid ORDER BY ts, kind) AS score_ts
  FROM both_kinds
)
SELECT latest.end_id, scores.score
FROM latest
JOIN _binder_oom_scores AS scores
  ON scores.upid = latest.upid AND scores.ts = latest.score_ts AND scores.next_ts > scores.ts
WHERE latest.end_id IS NOT NULL;

-- How long each end took without the time the device was suspended.
CREATE PERFETTO TABLE _awake_dur_of_end AS
SELECT binder_end.id, binder_end.dur - suspended.asleep_dur AS dur
FROM _binder_ends AS binder_end
JOIN _android_asleep_durations!(_binder_ends) AS suspended ON suspended.id = binder_end.id;

-- A call through binder: the slices of both ends, and who called whom for what.
CREATE PERFETTO TABLE android_binder_txns(
  -- What is called, as the service's trace names it:
  -- `AIDL::<language>::<interface>::<method>::server`.
  aidl_name STRING,
  -- The interface in that.
  interface STRING,
  -- The method in that.
  method_name STRING,
  -- When that slice began.
  aidl_ts TIMESTAMP,
  -- How long it took.
  aidl_dur DURATION,
  -- The caller's slice.
  binder_txn_id JOINID(slice.id),
  -- The caller's process.
  client_process STRING,
  -- The caller's thread.
  client_thread STRING,
  -- The caller's process.
  client_upid JOINID(process.id),
  -- The caller's thread.
  client_utid JOINID(thread.id),
  -- The number of the caller's thread.
  client_tid LONG,
  -- The number of the caller's process.
  client_pid LONG,
  -- Whether the caller's thread is its process's main thread.
  is_main_thread BOOL,
  -- When the call began.
  client_ts TIMESTAMP,
  -- How long the caller took for it.
  client_dur DURATION,
  -- The slice of the process that is called.
  binder_reply_id JOINID(slice.id),
  -- The process that is called.
  server_process STRING,
  -- The thread that serves the call.
  server_thread STRING,
  -- The process that is called.
  server_upid JOINID(process.id),
  -- The thread that serves the call.
  server_utid JOINID(thread.id),
  -- The number of that thread.
  server_tid LONG,
  -- The number of that process.
  server_pid LONG,
  -- When serving began.
  server_ts TIMESTAMP,
  -- How long serving took; 0 where the caller does not wait.
  server_dur DURATION,
  -- The caller's oom score when it called.
  client_oom_score LONG,
  -- The oom score of the process that is called, when serving began.
  server_oom_score LONG,
  -- Whether the caller waits for a reply.
  is_sync BOOL,
  -- `client_dur` without the time the device was suspended.
  client_monotonic_dur DURATION,
  -- `server_dur` without the time the device was suspended.
  server_monotonic_dur DURATION,
  -- The version code of the caller's package.
  client_package_version_code LONG,
  -- The version code of the package that is called.
  server_package_version_code LONG,
  -- Whether the caller's package may be debugged.
  is_client_package_debuggable BOOL,
  -- Whether the package that is called may be debugged.
  is_server_package_debuggable BOOL
) AS
WITH aidl AS (
  SELECT * FROM _aidl_of_reply
  UNION ALL
  SELECT * FROM _aidl_of_received
)
SELECT
  aidl.name AS aidl_name,
  nullif(split_part(aidl.name, '::', 3), '') AS interface,
  nullif(split_part(aidl.name, '::', 4), '') AS method_name,
  aidl.ts AS aidl_ts,
  aidl.dur AS aidl_dur,
  client.id AS binder_txn_id,
  client.process_name AS client_process,
  client.thread_name AS client_thread,
  client.upid AS client_upid,
  client.utid AS client_utid,
  client.tid AS client_tid,
  client.pid AS client_pid,
  client.is_main_thread,
  client.ts AS client_ts,
  client.dur AS client_dur,
  server.id AS binder_reply_id,
  server.process_name AS server_process,
  server.thread_name AS server_thread,
  server.upid AS server_upid,
  server.utid AS server_utid,
  server.tid AS server_tid,
  server.pid AS server_pid,
  server.ts AS server_ts,
  server.dur AS server_dur,
  client_score.score AS client_oom_score,
  server_score.score AS server_oom_score,
  pair.is_sync,
  client_awake.dur AS client_monotonic_dur,
  server_awake.dur AS server_monotonic_dur,
  client_package.version_code AS client_package_version_code,
  server_package.version_code AS server_package_version_code,
  client_package.debuggable AS is_client_package_debuggable,
  server_package.debuggable AS is_server_package_debuggable
FROM _binder_pairs AS pair
JOIN _binder_ends AS client ON client.id = pair.client_id
JOIN _binder_ends AS server ON server.id = pair.server_id
LEFT JOIN aidl ON aidl.reply_id = server.id
LEFT JOIN _oom_score_of_end AS client_score ON client_score.end_id = client.id
LEFT JOIN _oom_score_of_end AS server_score ON server_score.end_id = server.id
LEFT JOIN _awake_dur_of_end AS client_awake ON client_awake.id = client.id
LEFT JOIN _awake_dur_of_end AS server_awake ON server_awake.id = server.id
LEFT JOIN android_process_metadata AS client_package ON client_package.upid = client.upid
LEFT JOIN android_process_metadata AS server_package ON server_package.upid = server.upid
ORDER BY client.ts, client.id;

-- What the thread of each end of a waiting call was doing in its course: the overlaps of the
-- end's slice with the states of its thread.
CREATE PERFETTO TABLE _binder_end_states AS
WITH sides AS (
  SELECT
    binder_txn_id, 'binder_txn' AS side, client_utid AS utid, client_ts AS ts,
    client_dur AS dur
  FROM android_binder_txns
  WHERE is_sync = 1
  UNION ALL
  SELECT
    binder_txn_id, 'binder_reply' AS side, server_utid AS utid, server_ts AS ts,
    server_dur AS dur
  FROM android_binder_txns
  WHERE is_sync = 1
)
SELECT
  sides.binder_txn_id,
  sides.side,
  state.state,
  state.blocked_function,
  CASE
    WHEN state.dur < 0 OR state.ts + state.dur > sides.ts + sides.dur THEN sides.ts + sides.dur
    ELSE state.ts + state.dur
  END - greatest(state.ts, sides.ts) AS dur
FROM sides
JOIN thread_state AS state
  ON state.utid = sides.utid
  AND state.ts < sides.ts + sides.dur
  AND (state.dur < 0 OR state.ts + state.dur > sides.ts);

-- How long each end of a waiting call was in each state of scheduling.
CREATE PERFETTO VIEW android_sync_binder_thread_state_by_txn(
  -- The caller's slice.
  binder_txn_id LONG,
  -- When the call began.
  client_ts TIMESTAMP,
  -- The number of the caller's thread.
  client_tid LONG,
  -- The slice of the process that is called.
  binder_reply_id LONG,
  -- When serving began.
  server_ts TIMESTAMP,
  -- The number of the thread that serves.
  server_tid LONG,
  -- Which end: `binder_txn` for the caller, `binder_reply` for the one that serves.
  thread_state_type STRING,
  -- The state, as in `thread_state.state`.
  thread_state STRING,
  -- How long that end was in it.
  thread_state_dur DURATION,
  -- How often.
  thread_state_count LONG
) AS
SELECT
  txn.binder_txn_id,
  txn.client_ts,
  txn.client_tid,
  txn.binder_reply_id,
  txn.server_ts,
  txn.server_tid,
  states.side AS thread_state_type,
  states.state AS thread_state,
  sum(states.dur) AS thread_state_dur,
  count(*) AS thread_state_count
FROM _binder_end_states AS states
JOIN android_binder_txns AS txn ON txn.binder_txn_id = states.binder_txn_id
GROUP BY
  txn.binder_txn_id, txn.client_ts, txn.client_tid, txn.binder_reply_id, txn.server_ts,
  txn.server_tid, states.side, states.state;

-- How long each end of a waiting call was blocked in each function of the kernel.
CREATE PERFETTO VIEW android_sync_binder_blocked_functions_by_txn(
  -- The caller's slice.
  binder_txn_id LONG,
  -- When the call began.
  client_ts TIMESTAMP,
  -- The number of the caller's thread.
  client_tid LONG,
  -- The slice of the process that is called.
  binder_reply_id LONG,
  -- When serving began.
  server_ts TIMESTAMP,
  -- The number of the thread that serves.
  server_tid LONG,
  -- Which end: `binder_txn` for the caller, `binder_reply` for the one that serves.
  thread_state_type STRING,
  -- The function of the kernel.
  blocked_function STRING,
  -- How long that end was blocked in it.
  blocked_function_dur DURATION,
  -- How often.
  blocked_function_count LONG
) AS
SELECT
  txn.binder_txn_id,
  txn.client_ts,
  txn.client_tid,
  txn.binder_reply_id,
  txn.server_ts,
  txn.server_tid,
  states.side AS thread_state_type,
  states.blocked_function,
  sum(states.dur) AS blocked_function_dur,
  count(*) AS blocked_function_count
FROM _binder_end_states AS states
JOIN android_binder_txns AS txn ON txn.binder_txn_id = states.binder_txn_id
WHERE states.blocked_function IS NOT NULL
GROUP BY
  txn.binder_txn_id, txn.client_ts, txn.client_tid, txn.binder_reply_id, txn.server_ts,
  txn.server_tid, states.side, states.blocked_function;
