-- Threads of Java that waited for each other's locks.

INCLUDE PERFETTO MODULE android.suspend;

-- The part of a slice's name that tells who holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  -- The name, `monitor contention with owner <thread> (<tid>) at <method>(<file>:<line>)
  -- waiters=<n> blocking from <method>(<file>:<line>)`.
  slice_name STRING
)
-- The thread's name.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, 'with owner ', 2), ' (', 1), '');

-- The number of the thread that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  -- The slice's name.
  slice_name STRING
)
-- The thread's number; NULL where the name has none.
RETURNS LONG AS
SELECT CAST(nullif(split_part(split_part($slice_name, ' (', 2), ')', 1), '') AS BIGINT);

-- The method that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(
  -- The slice's name.
  slice_name STRING
)
-- With its type and its arguments' types.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, ') at ', 2), ')(', 1), '') || ')';

-- The method that holds the lock, in short.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(
  -- The slice's name.
  slice_name STRING
)
-- Without types.
RETURNS STRING AS
SELECT
  nullif(split_part(split_part(split_part($slice_name, ') at ', 2), ' ', 2), '(', 1), '');

-- The method that waits for the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(
  -- The slice's name.
  slice_name STRING
)
-- With its type and its arguments' types.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, 'blocking from ', 2), ')(', 1), '') || ')';

-- The method that waits for the lock, in short.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(
  -- The slice's name.
  slice_name STRING
)
-- Without types.
RETURNS STRING AS
SELECT
  nullif(split_part(split_part(split_part($slice_name, 'blocking from ', 2), ' ', 2), '(', 1), '');

-- How many threads waited already.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(
  -- The slice's name.
  slice_name STRING
)
-- 0 for the first to wait.
RETURNS LONG AS
SELECT CAST(nullif(split_part(split_part($slice_name, 'waiters=', 2), ' ', 1), '') AS BIGINT);

-- Where in the sources the lock is held.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(
  -- The slice's name.
  slice_name STRING
)
-- As `File.java:12`.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, ')(', 2), ')', 1), '');

-- Where in the sources the lock is waited for.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(
  -- The slice's name.
  slice_name STRING
)
-- As `File.java:12`.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, ')(', 3), ')', 1), '');

-- The slices that tell of a contention: those that hold nothing, or the runtime's own slice of
-- waiting. Others were put together wrongly.
CREATE PERFETTO TABLE _contention_slices AS
SELECT
  contention.id,
  contention.ts,
  contention.dur,
  contention.track_id,
  contention.name,
  split_part(contention.name, ') at ', 2) AS holding,
  split_part(contention.name, 'blocking from ', 2) AS waiting
FROM slice AS contention
LEFT JOIN slice AS child ON child.parent_id = contention.id
WHERE contention.name GLOB 'monitor contention*'
GROUP BY
  contention.id, contention.ts, contention.dur, contention.track_id, contention.name
HAVING count(child.id) = 0 OR count(*) FILTER (WHERE child.name GLOB 'Lock contention*') > 0;

-- The reply to a binder call in whose course each contention came about.
CREATE PERFETTO TABLE _reply_of_contention AS
SELECT contention_id, id, ts, tid
FROM (
  SELECT
    contention.id AS contention_id,
    reply.id,
    reply.ts,
    thread.tid,
    row_number() OVER (PARTITION BY contention.id ORDER BY reply.depth DESC) AS nth
  FROM _contention_slices AS contention
  JOIN slice AS reply
    ON reply.track_id = contention.track_id
    AND reply.ts <= contention.ts
    AND reply.ts + reply.dur >= contention.ts + contention.dur
  JOIN thread_track AS track ON track.id = contention.track_id
  JOIN thread USING (utid)
  WHERE reply.name = 'binder reply'
)
WHERE nth = 1;

-- A thread that waited for a lock, and who held it.
CREATE PERFETTO TABLE android_monitor_contention(
  -- The method that holds the lock.
  blocking_method STRING,
  -- The method that waits for it.
  blocked_method STRING,
  -- The method that holds the lock, without types.
  short_blocking_method STRING,
  -- The method that waits for it, without types.
  short_blocked_method STRING,
  -- Where in the sources the lock is held, as `File.java:12`.
  blocking_src STRING,
  -- Where in the sources it is waited for.
  blocked_src STRING,
  -- How many threads waited already; 0 for the first.
  waiter_count LONG,
  -- The thread that waits.
  blocked_utid JOINID(thread.id),
  -- Its name.
  blocked_thread_name STRING,
  -- The thread that holds the lock.
  blocking_utid JOINID(thread.id),
  -- Its name.
  blocking_thread_name STRING,
  -- Its number, which slices tell from Android 14 on.
  blocking_tid LONG,
  -- The process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- The slice of waiting.
  id LONG,
  -- When waiting began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- How long it lasted without the time the device was suspended.
  monotonic_dur DURATION,
  -- The waiting thread's track.
  track_id JOINID(track.id),
  -- Whether the waiting thread is its process's main thread.
  is_blocked_thread_main LONG,
  -- The number of the waiting thread.
  blocked_thread_tid LONG,
  -- Whether the holding thread is its process's main thread.
  is_blocking_thread_main LONG,
  -- The number of the holding thread.
  blocking_thread_tid LONG,
  -- The reply to a binder call in whose course the thread waits.
  binder_reply_id LONG,
  -- When that reply began.
  binder_reply_ts TIMESTAMP,
  -- The number of the reply's thread.
  binder_reply_tid LONG,
  -- The process's number.
  pid LONG
) AS
WITH owned AS (
  SELECT
    *,
    split_part(split_part(name, 'with owner ', 2), ' (', 1) AS owner,
    CAST(nullif(split_part(split_part(name, ' (', 2), ')', 1), '') AS BIGINT) AS owner_tid
  FROM _contention_slices
)
SELECT
  nullif(split_part(owned.holding, ')(', 1), '') || ')' AS blocking_method,
  nullif(split_part(owned.waiting, ')(', 1), '') || ')' AS blocked_method,
  nullif(split_part(split_part(owned.holding, ' ', 2), '(', 1), '') AS short_blocking_method,
  nullif(split_part(split_part(owned.waiting, ' ', 2), '(', 1), '') AS short_blocked_method,
  nullif(split_part(split_part(owned.name, ')(', 2), ')', 1), '') AS blocking_src,
  nullif(split_part(split_part(owned.name, ')(', 3), ')', 1), '') AS blocked_src,
  CAST(nullif(split_part(split_part(owned.name, 'waiters=', 2), ' ', 1), '') AS BIGINT)
    AS waiter_count,
  blocked.utid AS blocked_utid,
  blocked.name AS blocked_thread_name,
  blocking.utid AS blocking_utid,
  nullif(owned.owner, '') AS blocking_thread_name,
  owned.owner_tid AS blocking_tid,
  blocked.upid,
  process.name AS process_name,
  owned.id,
  owned.ts,
  owned.dur,
  owned.dur - suspended.asleep_dur AS monotonic_dur,
  owned.track_id,
  blocked.is_main_thread AS is_blocked_thread_main,
  blocked.tid AS blocked_thread_tid,
  blocking.is_main_thread AS is_blocking_thread_main,
  blocking.tid AS blocking_thread_tid,
  reply.id AS binder_reply_id,
  reply.ts AS binder_reply_ts,
  reply.tid AS binder_reply_tid,
  process.pid
FROM owned
JOIN thread_track AS track ON track.id = owned.track_id
JOIN thread AS blocked ON blocked.utid = track.utid
LEFT JOIN process ON process.upid = blocked.upid
LEFT JOIN thread AS blocking ON blocking.tid = owned.owner_tid AND blocking.upid = blocked.upid
JOIN _android_asleep_durations!(_contention_slices) AS suspended ON suspended.id = owned.id
LEFT JOIN _reply_of_contention AS reply ON reply.contention_id = owned.id
ORDER BY owned.ts, owned.id;

-- Pairs of contentions of which one waits for a thread that itself waits: `child_id` holds up
-- nobody's lock but is held up by `parent_id`'s thread.
CREATE PERFETTO TABLE _contention_links AS
SELECT parent.id AS parent_id, child.id AS child_id
FROM android_monitor_contention AS parent
JOIN android_monitor_contention AS child
  ON child.blocking_utid = parent.blocked_utid
  AND child.ts BETWEEN parent.ts AND parent.ts + parent.dur;

-- A contention, once for every pair of one that holds it up and one that it holds up.
CREATE PERFETTO TABLE android_monitor_contention_chain(
  -- The contention for which this one's lock is held so long; NULL where there is none.
  parent_id LONG,
  -- The method that holds the lock.
  blocking_method STRING,
  -- The method that waits for it.
  blocked_method STRING,
  -- The method that holds the lock, without types.
  short_blocking_method STRING,
  -- The method that waits for it, without types.
  short_blocked_method STRING,
  -- Where in the sources the lock is held, as `File.java:12`.
  blocking_src STRING,
  -- Where in the sources it is waited for.
  blocked_src STRING,
  -- How many threads waited already; 0 for the first.
  waiter_count LONG,
  -- The thread that waits.
  blocked_utid JOINID(thread.id),
  -- Its name.
  blocked_thread_name STRING,
  -- The thread that holds the lock.
  blocking_utid JOINID(thread.id),
  -- Its name.
  blocking_thread_name STRING,
  -- Its number, which slices tell from Android 14 on.
  blocking_tid LONG,
  -- The process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- The slice of waiting.
  id LONG,
  -- When waiting began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- How long it lasted without the time the device was suspended.
  monotonic_dur DURATION,
  -- The waiting thread's track.
  track_id JOINID(track.id),
  -- Whether the waiting thread is its process's main thread.
  is_blocked_thread_main LONG,
  -- The number of the waiting thread.
  blocked_thread_tid LONG,
  -- Whether the holding thread is its process's main thread.
  is_blocking_thread_main LONG,
  -- The number of the holding thread.
  blocking_thread_tid LONG,
  -- The reply to a binder call in whose course the thread waits.
  binder_reply_id LONG,
  -- When that reply began.
  binder_reply_ts TIMESTAMP,
  -- The number of the reply's thread.
  binder_reply_tid LONG,
  -- The process's number.
  pid LONG,
  -- The contention that waits for this one's thread; NULL where there is none.
  child_id LONG
) AS
SELECT held_up_by.parent_id, contention.*, holds_up.child_id
FROM android_monitor_contention AS contention
LEFT JOIN _contention_links AS held_up_by ON held_up_by.child_id = contention.id
LEFT JOIN _contention_links AS holds_up ON holds_up.parent_id = contention.id
ORDER BY contention.ts, contention.id;

-- The first to wait for each lock, up to when the first of those who wait for it gets it: only so
-- long the holder is known to hold it.
CREATE PERFETTO TABLE _first_waiters AS
SELECT waiter.id, waiter.blocking_utid, waiter.ts, min(any_waiter.ts + any_waiter.dur) AS until
FROM android_monitor_contention AS waiter
JOIN android_monitor_contention AS any_waiter
  ON any_waiter.blocking_utid = waiter.blocking_utid
  AND any_waiter.blocking_method = waiter.blocking_method
  AND any_waiter.ts BETWEEN waiter.ts AND waiter.ts + waiter.dur
WHERE waiter.waiter_count = 0
GROUP BY waiter.id, waiter.blocking_utid, waiter.ts;

-- What the thread that holds a lock was doing while the first one waited for it.
CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  -- The contention of the first to wait.
  id LONG,
  -- When the thread came into that state, or waiting began.
  ts TIMESTAMP,
  -- How long it was in it, no longer than the lock was waited for.
  dur DURATION,
  -- The thread that holds the lock.
  blocking_utid JOINID(thread.id),
  -- The function of the kernel it was blocked in.
  blocked_function STRING,
  -- Its state, as in `thread_state.state`.
  state STRING
) AS
SELECT
  waiter.id,
  greatest(state.ts, waiter.ts) AS ts,
  CASE
    WHEN state.dur < 0 OR state.ts + state.dur > waiter.until THEN waiter.until
    ELSE state.ts + state.dur
  END - greatest(state.ts, waiter.ts) AS dur,
  waiter.blocking_utid,
  state.blocked_function,
  state.state
FROM _first_waiters AS waiter
JOIN thread_state AS state
  ON state.utid = waiter.blocking_utid
  AND state.ts < waiter.until
  AND (state.dur < 0 OR state.ts + state.dur > waiter.ts)
ORDER BY waiter.id, 2;

-- How long the thread that holds a lock was in each state while the first one waited for it.
CREATE PERFETTO VIEW android_monitor_contention_chain_thread_state_by_txn(
  -- The contention of the first to wait.
  id LONG,
  -- The state, as in `thread_state.state`.
  thread_state STRING,
  -- How long the holder was in it.
  thread_state_dur DURATION,
  -- How often.
  thread_state_count LONG
) AS
SELECT id, state AS thread_state, sum(dur) AS thread_state_dur, count(*) AS thread_state_count
FROM android_monitor_contention_chain_thread_state
GROUP BY id, state;

-- How long the thread that holds a lock was blocked in each function of the kernel while the first
-- one waited for it.
CREATE PERFETTO VIEW android_monitor_contention_chain_blocked_functions_by_txn(
  -- The contention of the first to wait.
  id LONG,
  -- The function of the kernel.
  blocked_function STRING,
  -- How long the holder was blocked in it.
  blocked_function_dur DURATION,
  -- How often.
  blocked_function_count LONG
) AS
SELECT
  id,
  blocked_function,
  sum(dur) AS blocked_function_dur,
  count(*) AS blocked_function_count
FROM android_monitor_contention_chain_thread_state
WHERE blocked_function IS NOT NULL
GROUP BY id, blocked_function;
