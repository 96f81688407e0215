-- Binder calls between processes, with the slices of both ends.

INCLUDE PERFETTO MODULE android.process_metadata;

INCLUDE PERFETTO MODULE android.suspend;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.flow;

-- Number of binder slices of each kind per process.
CREATE PERFETTO VIEW android_binder_metrics_by_process(
  -- Name of the process.
  process_name STRING,
  -- Kernel id of the process.
  pid LONG,
  -- Kind of slice: `binder transaction`, `binder reply`…
  slice_name STRING,
  -- Number of slices.
  event_count LONG
) AS
SELECT process.name AS process_name, process.pid, slice.name AS slice_name, count(*) AS event_count
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE slice.name GLOB 'binder*'
GROUP BY process.name, process.pid, slice.name;

-- Kinds of calls: the slice names of both ends, and whether the client waits for the reply.
CREATE PERFETTO TABLE _binder_kinds AS
SELECT column1 AS call_name, column2 AS served_name, column3 AS is_sync
FROM (
  VALUES
    ('binder transaction', 'binder reply', 1),
    ('binder transaction async', 'binder async rcv', 0)
);

-- Slices of both ends of binder calls, with thread and process.
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

-- Synchronous calls that have child slices other than binder slices. A waiting thread only serves
-- calls nested in its own call, so these slices were matched wrongly.
CREATE PERFETTO TABLE _broken_binder_txns AS
SELECT txn.id
FROM slice AS txn
JOIN slice AS child ON child.parent_id = txn.id
WHERE txn.name = 'binder transaction'
GROUP BY txn.id
HAVING count(*) FILTER (WHERE child.name GLOB 'binder*') = 0;

-- Slices that server code emits for the interface it implements.
CREATE PERFETTO TABLE _interface_slices AS
SELECT id, name, ts, dur, track_id, parent_id
FROM slice
WHERE name GLOB 'AIDL::*[Ss]erver' OR name GLOB 'HIDL::*server';

-- Interface slice of each server end. For a reply, the first interface slice in the reply; for an
-- asynchronous call, the next slice on the receiving thread, if that is an interface slice.
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

-- Oom score of each process over time, with the time of the next score.
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

-- Oom score of the process of each end at the start of the end. Ends and scores are merged in time
-- order.
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

-- Ends of calls with the oom score of the process, the duration without suspended time, and the
-- package.
CREATE PERFETTO TABLE _binder_ends_state_column AS
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

-- A binder call, with the slices, threads and processes of the client and the server.
CREATE PERFETTO TABLE android_binder_txns(
  -- Interface part of `aidl_name`.
  interface STRING,
  -- Method part of `aidl_name`.
  method_name STRING,
  -- Name of the interface slice in the server, `AIDL::<language>::<interface>::<method>::server`;
  -- NULL without an interface slice.
  aidl_name STRING,
  -- Start of the interface slice, ns in trace time.
  aidl_ts TIMESTAMP,
  -- Duration of the interface slice, ns.
  aidl_dur DURATION,
  -- Slice of the call in the client; join with `slice` on `id`.
  binder_txn_id JOINID(slice.id),
  -- Name of the client process.
  client_process STRING,
  -- Name of the client thread.
  client_thread STRING,
  -- Client process; join with `process` on `upid`.
  client_upid JOINID(process.id),
  -- Client thread; join with `thread` on `utid`.
  client_utid JOINID(thread.id),
  -- Kernel id of the client thread.
  client_tid LONG,
  -- Kernel id of the client process.
  client_pid LONG,
  -- Whether the client thread is the main thread of its process.
  is_main_thread BOOL,
  -- Start of the call in the client, ns in trace time.
  client_ts TIMESTAMP,
  -- Duration of the call in the client, ns.
  client_dur DURATION,
  -- Slice of the reply in the server; join with `slice` on `id`.
  binder_reply_id JOINID(slice.id),
  -- Name of the server process.
  server_process STRING,
  -- Name of the server thread.
  server_thread STRING,
  -- Server process; join with `process` on `upid`.
  server_upid JOINID(process.id),
  -- Server thread; join with `thread` on `utid`.
  server_utid JOINID(thread.id),
  -- Kernel id of the server thread.
  server_tid LONG,
  -- Kernel id of the server process.
  server_pid LONG,
  -- Start of the call in the server, ns in trace time.
  server_ts TIMESTAMP,
  -- Duration of the call in the server, ns; 0 for an asynchronous call.
  server_dur DURATION,
  -- Oom score of the client process at the start of the call.
  client_oom_score LONG,
  -- Oom score of the server process when it starts to serve the call.
  server_oom_score LONG,
  -- Whether the client waits for the reply (a synchronous call).
  is_sync BOOL,
  -- `client_dur` without the time in which the device was suspended, ns.
  client_monotonic_dur DURATION,
  -- `server_dur` without the time in which the device was suspended, ns.
  server_monotonic_dur DURATION,
  -- Version code of the client package.
  client_package_version_code LONG,
  -- Version code of the server package.
  server_package_version_code LONG,
  -- Whether the client package is debuggable.
  is_client_package_debuggable BOOL,
  -- Whether the server package is debuggable.
  is_server_package_debuggable BOOL
) AS
SELECT
  nullif(split_part(aidl.name, '::', 3), '') AS interface,
  nullif(split_part(aidl.name, '::', 4), '') AS method_name,
  aidl.name AS aidl_name,
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
JOIN _binder_ends_state_column AS client ON client.id = flow.slice_out
JOIN _binder_ends_state_column AS server ON server.id = flow.slice_in
JOIN _binder_kinds AS kind ON kind.call_name = client.name AND kind.served_name = server.name
LEFT JOIN _broken_binder_txns AS broken ON broken.id = client.id
LEFT JOIN _interface_of_end AS of_end ON of_end.end_id = server.id
LEFT JOIN _interface_slices AS aidl ON aidl.id = of_end.interface_id
WHERE broken.id IS NULL
ORDER BY client.ts, client.id;

-- Intersects spans with the scheduling states of their threads. Input: spans with `utid`, `ts` and
-- `dur`. Output: all columns of the span, `state_id`, `state` and `blocked_function` of the state,
-- and `state_ts` and `state_dur` of the intersection.
CREATE PERFETTO MACRO _android_states_within(
  -- Spans with columns `utid`, `ts` and `dur`.
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

-- Both ends of synchronous calls, with the slice of the end as `root_id`.
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

-- Scheduling states of the thread of each end during the end.
CREATE PERFETTO TABLE _binder_end_states AS
SELECT binder_txn_id, side, state, blocked_function, state_dur AS dur
FROM _android_states_within!(_sync_binder_ends);

-- Total duration and number of states of each end, grouped by a column of the states.
CREATE PERFETTO MACRO _binder_end_state_sums(
  -- Column of the states to group by.
  state_column ColumnName,
  -- Output name of that column.
  state_column_name ColumnName,
  -- Output name of the total duration.
  dur_name ColumnName,
  -- Output name of the number of states.
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
    __states.$state_column AS $state_column_name,
    sum(__states.dur) AS $dur_name,
    count(*) AS $count_name
  FROM _binder_end_states AS __states
  JOIN android_binder_txns AS __txn ON __txn.binder_txn_id = __states.binder_txn_id
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
);

-- Time that each end of a synchronous binder call spent in each scheduling state.
CREATE PERFETTO VIEW android_sync_binder_thread_state_by_txn(
  -- Slice of the call in the client; join with `slice` on `id`.
  binder_txn_id LONG,
  -- Start of the call in the client, ns in trace time.
  client_ts TIMESTAMP,
  -- Kernel id of the client thread.
  client_tid LONG,
  -- Slice of the reply in the server; join with `slice` on `id`.
  binder_reply_id LONG,
  -- Start of the call in the server, ns in trace time.
  server_ts TIMESTAMP,
  -- Kernel id of the server thread.
  server_tid LONG,
  -- End of the call: `binder_txn` for the client, `binder_reply` for the server.
  thread_state_type STRING,
  -- Scheduling state, as in `thread_state.state`.
  thread_state STRING,
  -- Time that the end spent in the state, ns.
  thread_state_dur DURATION,
  -- Number of times the end was in the state.
  thread_state_count LONG
) AS
SELECT *
FROM _binder_end_state_sums!(state, thread_state, thread_state_dur, thread_state_count);

-- Time that each end of a synchronous binder call was blocked in each kernel function.
CREATE PERFETTO VIEW android_sync_binder_blocked_functions_by_txn(
  -- Slice of the call in the client; join with `slice` on `id`.
  binder_txn_id LONG,
  -- Start of the call in the client, ns in trace time.
  client_ts TIMESTAMP,
  -- Kernel id of the client thread.
  client_tid LONG,
  -- Slice of the reply in the server; join with `slice` on `id`.
  binder_reply_id LONG,
  -- Start of the call in the server, ns in trace time.
  server_ts TIMESTAMP,
  -- Kernel id of the server thread.
  server_tid LONG,
  -- End of the call: `binder_txn` for the client, `binder_reply` for the server.
  thread_state_type STRING,
  -- Kernel function.
  blocked_function STRING,
  -- Time that the end was blocked in the function, ns.
  blocked_function_dur DURATION,
  -- Number of times the end was blocked in the function.
  blocked_function_count LONG
) AS
SELECT *
FROM _binder_end_state_sums!(
  blocked_function, blocked_function, blocked_function_dur, blocked_function_count
)
WHERE blocked_function IS NOT NULL;
