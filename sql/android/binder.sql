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

-- The kinds of calls: the names of the slices of their ends, and whether the caller waits.
CREATE PERFETTO TABLE _binder_kinds AS
SELECT column1 AS call_name, column2 AS served_name, column3 AS is_sync
FROM (
  VALUES
    ('binder transaction', 'binder reply', 1),
    ('binder transaction async', 'binder async rcv', 0)
);

-- The slices of binder's two ends, with their threads and processes.
CREATE PERFETTO TABLE _binder_ends AS
SELECT
  slice.id,
  slice.name,
  slice.ts,
  slice.dur,
  slice.track_id,
  utid,
  thread.tid,
  thread.name AS thread_name,
  thread.is_main_thread,
  upid,
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

-- The slices of interfaces: what services' code calls itself.
CREATE PERFETTO TABLE _interface_slices AS
SELECT id, name, ts, dur, track_id, parent_id
FROM slice
WHERE name GLOB 'AIDL::*[Ss]erver' OR name GLOB 'HIDL::*server';

-- The interface of what was called: of a reply, the first in it; of a call that waits for none, the
-- slice that comes next on the thread that took the call, where that is an interface's.
CREATE PERFETTO TABLE _interface_of_end AS
WITH in_replies AS (
  SELECT
    reply.id AS end_id,
    interface.id AS interface_id,
    row_number() OVER (PARTITION BY reply.id ORDER BY interface.ts, interface.id) AS nth
  FROM _binder_ends AS reply
  JOIN _interface_slices AS interface ON interface.parent_id = reply.id
  WHERE reply.name = 'binder reply'
),
on_tracks AS (
  SELECT
    end_id,
    lead(interface_id) OVER (PARTITION BY track_id ORDER BY ts, id) AS interface_id
  FROM (
    SELECT id, ts, track_id, id AS end_id, CAST(NULL AS BIGINT) AS interface_id
    FROM _binder_ends
    WHERE name = 'binder async rcv'
    UNION ALL
    SELECT id, ts, track_id, CAST(NULL AS BIGINT), id
    FROM _interface_slices
  )
)
SELECT end_id, interface_id FROM in_replies WHERE nth = 1
UNION ALL
SELECT end_id, interface_id FROM on_tracks WHERE end_id IS NOT NULL AND interface_id IS NOT NULL;

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

-- The ends with what else is known of them: how important their processes were, how long they took
-- without the time the device was suspended, and what packages they are of.
CREATE PERFETTO TABLE _binder_ends_told AS
SELECT
  binder_end.*,
  scored.score AS oom_score,
  binder_end.dur - suspended.asleep_dur AS monotonic_dur,
  package.version_code,
  package.debuggable
FROM _binder_ends AS binder_end
LEFT JOIN _oom_score_of_end AS scored ON scored.end_id = binder_end.id
LEFT JOIN _android_asleep_durations!(_binder_ends) AS suspended ON suspended.id = binder_end.id
LEFT JOIN android_process_metadata AS package ON package.upid = binder_end.upid;

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
  client.oom_score AS client_oom_score,
  server.oom_score AS server_oom_score,
  kind.is_sync,
  client.monotonic_dur AS client_monotonic_dur,
  server.monotonic_dur AS server_monotonic_dur,
  client.version_code AS client_package_version_code,
  server.version_code AS server_package_version_code,
  client.debuggable AS is_client_package_debuggable,
  server.debuggable AS is_server_package_debuggable
FROM flow
JOIN _binder_ends_told AS client ON client.id = flow.slice_out
JOIN _binder_ends_told AS server ON server.id = flow.slice_in
JOIN _binder_kinds AS kind ON kind.call_name = client.name AND kind.served_name = server.name
LEFT JOIN _broken_binder_txns AS broken ON broken.id = client.id
LEFT JOIN _interface_of_end AS of_end ON of_end.end_id = server.id
LEFT JOIN _interface_slices AS aidl ON aidl.id = of_end.interface_id
WHERE broken.id IS NULL
ORDER BY client.ts, client.id;

-- What threads were doing in the course of spans of time: the overlaps of the spans with the states
-- of their threads. Takes spans with `utid`, `ts` and `dur`; gives all their columns, `state_id`,
-- `state` and `blocked_function` of the state, and `state_ts` and `state_dur` of the overlap.
CREATE PERFETTO MACRO _android_states_within(
  -- The spans.
  spans TableOrSubquery
)
RETURNS TableOrSubquery AS (
  SELECT
    __span.*,
    __state.id AS state_id,
    __state.state,
    __state.blocked_function,
    greatest(__state.ts, __span.ts) AS state_ts,
    CASE
      WHEN __state.dur < 0 THEN __span.ts + __span.dur
      ELSE least(__state.ts + __state.dur, __span.ts + __span.dur)
    END - greatest(__state.ts, __span.ts) AS state_dur
  FROM $spans AS __span
  JOIN thread_state AS __state
    ON __state.utid = __span.utid
    AND __state.ts < __span.ts + __span.dur
    AND (__state.dur < 0 OR __state.ts + __state.dur > __span.ts)
);

-- Both ends of the calls that wait, each with its slice as `root_id`.
CREATE PERFETTO TABLE _sync_binder_ends AS
SELECT
  binder_txn_id AS root_id, 'binder_txn' AS side, binder_txn_id, binder_reply_id,
  client_utid AS utid, client_ts AS ts, client_dur AS dur
FROM android_binder_txns
WHERE is_sync = 1
UNION ALL
SELECT
  binder_reply_id, 'binder_reply', binder_txn_id, binder_reply_id, server_utid, server_ts,
  server_dur
FROM android_binder_txns
WHERE is_sync = 1;

-- What the thread of each such end was doing in its course.
CREATE PERFETTO TABLE _binder_end_states AS
SELECT binder_txn_id, side, state, blocked_function, state_dur AS dur
FROM _android_states_within!(_sync_binder_ends);

-- How long and how often such ends were in what a column of those states tells.
CREATE PERFETTO MACRO _binder_end_state_sums(
  -- The column.
  told ColumnName,
  -- What it becomes.
  told_name ColumnName,
  -- What how long becomes.
  dur_name ColumnName,
  -- What how often becomes.
  count_name ColumnName
)
RETURNS TableOrSubquery AS (
  SELECT
    __txn.binder_txn_id,
    __txn.client_ts,
    __txn.client_tid,
    __txn.binder_reply_id,
    __txn.server_ts,
    __txn.server_tid,
    __states.side AS thread_state_type,
    __states.$told AS $told_name,
    sum(__states.dur) AS $dur_name,
    count(*) AS $count_name
  FROM _binder_end_states AS __states
  JOIN android_binder_txns AS __txn ON __txn.binder_txn_id = __states.binder_txn_id
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
);

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
SELECT *
FROM _binder_end_state_sums!(state, thread_state, thread_state_dur, thread_state_count);

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
SELECT *
FROM _binder_end_state_sums!(
  blocked_function, blocked_function, blocked_function_dur, blocked_function_count
)
WHERE blocked_function IS NOT NULL;
