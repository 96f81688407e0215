-- Java threads that wait for monitor locks held by other threads.

INCLUDE PERFETTO MODULE android.suspend;

-- Extracts the thread that holds the lock from the name of a monitor contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  -- Name of the slice, `monitor contention with owner <thread> (<tid>) at <method>(<file>:<line>)
  -- waiters=<n> blocking from <method>(<file>:<line>)`.
  slice_name STRING
)
-- Name of the thread.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, 'with owner ', 2), ' (', 1), '');

-- Extracts the id of the thread that holds the lock from the name of a monitor contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  -- Name of the slice.
  slice_name STRING
)
-- Kernel id of the thread; NULL if the name has none.
RETURNS LONG AS
SELECT CAST(nullif(split_part(split_part($slice_name, ' (', 2), ')', 1), '') AS BIGINT);

-- Extracts the method that holds the lock from the name of a monitor contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(
  -- Name of the slice.
  slice_name STRING
)
-- Method with its return type and parameter types.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, ') at ', 2), ')(', 1), '') || ')';

-- Extracts the method that holds the lock, without types, from the name of a monitor contention
-- slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(
  -- Name of the slice.
  slice_name STRING
)
-- Method without types.
RETURNS STRING AS
SELECT
  nullif(split_part(split_part(split_part($slice_name, ') at ', 2), ' ', 2), '(', 1), '');

-- Extracts the method that waits for the lock from the name of a monitor contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(
  -- Name of the slice.
  slice_name STRING
)
-- Method with its return type and parameter types.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, 'blocking from ', 2), ')(', 1), '') || ')';

-- Extracts the method that waits for the lock, without types, from the name of a monitor contention
-- slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(
  -- Name of the slice.
  slice_name STRING
)
-- Method without types.
RETURNS STRING AS
SELECT
  nullif(split_part(split_part(split_part($slice_name, 'blocking from ', 2), ' ', 2), '(', 1), '');

-- Extracts the number of threads that already wait for the lock from the name of a monitor
-- contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(
  -- Name of the slice.
  slice_name STRING
)
-- Number of waiting threads; 0 for the first waiter.
RETURNS LONG AS
SELECT CAST(nullif(split_part(split_part($slice_name, 'waiters=', 2), ' ', 1), '') AS BIGINT);

-- Extracts the source location of the method that holds the lock from the name of a monitor
-- contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(
  -- Name of the slice.
  slice_name STRING
)
-- Source location, such as `File.java:12`.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, ')(', 2), ')', 1), '');

-- Extracts the source location of the method that waits for the lock from the name of a monitor
-- contention slice.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(
  -- Name of the slice.
  slice_name STRING
)
-- Source location, such as `File.java:12`.
RETURNS STRING AS
SELECT nullif(split_part(split_part($slice_name, ')(', 3), ')', 1), '');

-- Slices of contentions that ended: those without children, or with a child slice of the runtime for
-- the wait. Other slices were matched wrongly.
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
WHERE contention.name GLOB 'monitor contention*' AND contention.dur != -1
GROUP BY
  contention.id, contention.ts, contention.dur, contention.track_id, contention.name
HAVING count(child.id) = 0 OR count(*) FILTER (WHERE child.name GLOB 'Lock contention*') > 0;

-- Innermost binder reply that contains each contention.
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

-- Name of the lock of each contention, if the program has slices `<lock>_lock_acquire` before and
-- `<lock>_lock_held` after it. A slice of the runtime for the wait may come between.
CREATE PERFETTO TABLE _lock_name_of_contention AS
WITH neighbors AS (
  SELECT
    id,
    lag(name) OVER along AS before,
    lead(name) OVER along AS after,
    lead(name, 2) OVER along AS second_after
  FROM slice
  WHERE track_id IN (SELECT track_id FROM _contention_slices)
  WINDOW along AS (PARTITION BY track_id ORDER BY ts, depth)
)
SELECT id, replace(before, '_lock_acquire', '') AS lock_name
FROM neighbors
WHERE
  id IN (SELECT id FROM _contention_slices)
  AND before GLOB '*_lock_acquire'
  AND CASE WHEN after GLOB 'Lock contention*' THEN second_after ELSE after END
    = replace(before, '_lock_acquire', '_lock_held');

-- A thread that waited for a monitor lock, with the thread that held it.
CREATE PERFETTO TABLE android_monitor_contention(
  -- Method that holds the lock.
  blocking_method STRING,
  -- Method that waits for the lock.
  blocked_method STRING,
  -- Method that holds the lock, without types.
  short_blocking_method STRING,
  -- Method that waits for the lock, without types.
  short_blocked_method STRING,
  -- Source location of the method that holds the lock, such as `File.java:12`.
  blocking_src STRING,
  -- Source location of the method that waits for the lock.
  blocked_src STRING,
  -- Number of threads that already waited for the lock; 0 for the first waiter.
  waiter_count LONG,
  -- Thread that waits for the lock; join with `thread` on `utid`.
  blocked_utid JOINID(thread.id),
  -- Name of the waiting thread.
  blocked_thread_name STRING,
  -- Thread that holds the lock; join with `thread` on `utid`.
  blocking_utid JOINID(thread.id),
  -- Name of the thread that holds the lock.
  blocking_thread_name STRING,
  -- Kernel id of the thread that holds the lock, from the slice name; recorded from Android 14 on.
  blocking_tid LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Slice of the wait; join with `slice` on `id`.
  id LONG,
  -- Start of the wait, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the wait, ns.
  dur DURATION,
  -- Duration of the wait without the time in which the device was suspended, ns.
  monotonic_dur DURATION,
  -- Track of the waiting thread; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Whether the waiting thread is the main thread of its process.
  is_blocked_thread_main LONG,
  -- Kernel id of the waiting thread.
  blocked_thread_tid LONG,
  -- Whether the thread that holds the lock is the main thread of its process.
  is_blocking_thread_main LONG,
  -- Kernel id of the thread that holds the lock.
  blocking_thread_tid LONG,
  -- Slice of the binder reply during which the thread waits; NULL if there is none. Join with
  -- `slice` on `id`.
  binder_reply_id LONG,
  -- Start of that binder reply, ns in trace time.
  binder_reply_ts TIMESTAMP,
  -- Kernel id of the thread of that binder reply.
  binder_reply_tid LONG,
  -- Kernel id of the process.
  pid LONG,
  -- Name of the lock that the program gives in slices around the wait; NULL if there is none.
  lock_name STRING
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
  process.pid,
  named.lock_name
FROM owned
JOIN thread_track AS track ON track.id = owned.track_id
JOIN thread AS blocked ON blocked.utid = track.utid
LEFT JOIN process ON process.upid = blocked.upid
LEFT JOIN thread AS blocking ON blocking.tid = owned.owner_tid AND blocking.upid = blocked.upid
JOIN _android_asleep_durations!(_contention_slices) AS suspended ON suspended.id = owned.id
LEFT JOIN _reply_of_contention AS reply ON reply.contention_id = owned.id
LEFT JOIN _lock_name_of_contention AS named ON named.id = owned.id
WHERE
  nullif(split_part(split_part(owned.holding, ' ', 2), '(', 1), '') IS NOT NULL
  AND nullif(split_part(split_part(owned.waiting, ' ', 2), '(', 1), '') IS NOT NULL
ORDER BY owned.ts, owned.id;

-- Pairs of contentions: in `child_id` a thread waits for a lock, and the holder of that lock itself
-- waits in `parent_id`.
CREATE PERFETTO TABLE _contention_links AS
SELECT parent.id AS parent_id, child.id AS child_id
FROM android_monitor_contention AS parent
JOIN android_monitor_contention AS child
  ON child.blocking_utid = parent.blocked_utid
  AND child.ts BETWEEN parent.ts AND parent.ts + parent.dur;

-- A contention with the contentions that block it, and the first one that it blocks. A contention
-- has one row for each parent.
CREATE PERFETTO TABLE android_monitor_contention_chain(
  -- Contention in which the holder of this lock waits, so that it holds the lock longer; NULL if
  -- there is none. Join with `android_monitor_contention` on `id`.
  parent_id LONG,
  -- Method that holds the lock.
  blocking_method STRING,
  -- Method that waits for the lock.
  blocked_method STRING,
  -- Method that holds the lock, without types.
  short_blocking_method STRING,
  -- Method that waits for the lock, without types.
  short_blocked_method STRING,
  -- Source location of the method that holds the lock, such as `File.java:12`.
  blocking_src STRING,
  -- Source location of the method that waits for the lock.
  blocked_src STRING,
  -- Number of threads that already waited for the lock; 0 for the first waiter.
  waiter_count LONG,
  -- Thread that waits for the lock; join with `thread` on `utid`.
  blocked_utid JOINID(thread.id),
  -- Name of the waiting thread.
  blocked_thread_name STRING,
  -- Thread that holds the lock; join with `thread` on `utid`.
  blocking_utid JOINID(thread.id),
  -- Name of the thread that holds the lock.
  blocking_thread_name STRING,
  -- Kernel id of the thread that holds the lock, from the slice name; recorded from Android 14 on.
  blocking_tid LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Slice of the wait; join with `slice` on `id`.
  id LONG,
  -- Start of the wait, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the wait, ns.
  dur DURATION,
  -- Duration of the wait without the time in which the device was suspended, ns.
  monotonic_dur DURATION,
  -- Track of the waiting thread; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Whether the waiting thread is the main thread of its process.
  is_blocked_thread_main LONG,
  -- Kernel id of the waiting thread.
  blocked_thread_tid LONG,
  -- Whether the thread that holds the lock is the main thread of its process.
  is_blocking_thread_main LONG,
  -- Kernel id of the thread that holds the lock.
  blocking_thread_tid LONG,
  -- Slice of the binder reply during which the thread waits; NULL if there is none. Join with
  -- `slice` on `id`.
  binder_reply_id LONG,
  -- Start of that binder reply, ns in trace time.
  binder_reply_ts TIMESTAMP,
  -- Kernel id of the thread of that binder reply.
  binder_reply_tid LONG,
  -- Kernel id of the process.
  pid LONG,
  -- First contention that waits for a lock held by the waiting thread; NULL if there is none. Join
  -- with `android_monitor_contention` on `id`.
  child_id LONG,
  -- Name of the lock that the program gives in slices around the wait; NULL if there is none.
  lock_name STRING
) AS
WITH holds_up AS (
  SELECT parent_id AS id, min(child_id) AS child_id FROM _contention_links GROUP BY parent_id
)
SELECT
  held_up_by.parent_id,
  contention.* EXCLUDE (lock_name),
  holds_up.child_id,
  contention.lock_name
FROM android_monitor_contention AS contention
LEFT JOIN _contention_links AS held_up_by ON held_up_by.child_id = contention.id
LEFT JOIN holds_up ON holds_up.id = contention.id
ORDER BY contention.ts, contention.id, held_up_by.parent_id;

-- First waiter for each lock, until any of the waiters gets the lock: only for this time the thread
-- is known to hold the lock.
CREATE PERFETTO TABLE _first_waiters AS
SELECT waiter.id, waiter.blocking_utid, waiter.ts, min(any_waiter.ts + any_waiter.dur) AS until
FROM android_monitor_contention AS waiter
JOIN android_monitor_contention AS any_waiter
  ON any_waiter.blocking_utid = waiter.blocking_utid
  AND any_waiter.blocking_method = waiter.blocking_method
  AND any_waiter.ts BETWEEN waiter.ts AND waiter.ts + waiter.dur
WHERE waiter.waiter_count = 0
GROUP BY waiter.id, waiter.blocking_utid, waiter.ts;

-- Scheduling state of the thread that holds a lock while the first waiter waits.
CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  -- Contention of the first waiter; join with `android_monitor_contention` on `id`.
  id LONG,
  -- Start of the state, or start of the wait if later, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the state within the wait, ns.
  dur DURATION,
  -- Thread that holds the lock; join with `thread` on `utid`.
  blocking_utid JOINID(thread.id),
  -- Kernel function in which the thread was blocked; NULL if unknown.
  blocked_function STRING,
  -- Scheduling state, as in `thread_state.state`.
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

-- Time that the thread that holds a lock spent in each scheduling state while the first waiter
-- waited.
CREATE PERFETTO VIEW android_monitor_contention_chain_thread_state_by_txn(
  -- Contention of the first waiter; join with `android_monitor_contention` on `id`.
  id LONG,
  -- Scheduling state, as in `thread_state.state`.
  thread_state STRING,
  -- Time that the thread that holds the lock spent in the state, ns.
  thread_state_dur DURATION,
  -- Number of times the thread was in the state.
  thread_state_count LONG
) AS
SELECT id, state AS thread_state, sum(dur) AS thread_state_dur, count(*) AS thread_state_count
FROM android_monitor_contention_chain_thread_state
GROUP BY id, state;

-- Time that the thread that holds a lock was blocked in each kernel function while the first waiter
-- waited.
CREATE PERFETTO VIEW android_monitor_contention_chain_blocked_functions_by_txn(
  -- Contention of the first waiter; join with `android_monitor_contention` on `id`.
  id LONG,
  -- Kernel function.
  blocked_function STRING,
  -- Time that the thread that holds the lock was blocked in the function, ns.
  blocked_function_dur DURATION,
  -- Number of times the thread was blocked in the function.
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
