-- Time ranges of native and Java heap profiles.

-- Allocated and freed bytes of each call stack in a dump. A dump counts from the previous dump of
-- the same heap, and frees are negative.
CREATE PERFETTO VIEW _android_heap_profile_dump_callsites AS
SELECT
  upid, heap_name, ts,
  min(id) AS id,
  sum(size) AS net_size,
  sum(count) AS net_count,
  sum(CASE WHEN size > 0 THEN size ELSE 0 END) AS allocated
FROM heap_profile_allocation
GROUP BY upid, heap_name, ts, callsite_id;

-- Dumps with their sums. `recorded_start` is the start of the dump as recorded; older recorders
-- write the end.
CREATE PERFETTO VIEW _android_heap_profile_dumps AS
SELECT
  dump.id, dump.upid, dump.heap_name, dump.end_ts, dump.retained, dump.allocated, dump.delta,
  min(profile.ts) AS recorded_start
FROM (
  SELECT
    min(id) AS id, upid, heap_name, ts AS end_ts,
    sum(CASE WHEN net_count > 0 THEN net_size ELSE 0 END) AS retained,
    sum(allocated) AS allocated,
    sum(net_size) AS delta
  FROM _android_heap_profile_dump_callsites
  GROUP BY upid, heap_name, ts
) AS dump
JOIN heap_profile AS profile
  ON profile.upid = dump.upid
  AND profile.ts_end = dump.end_ts
  AND coalesce(profile.heap_name, dump.heap_name) = dump.heap_name
GROUP BY
  dump.id, dump.upid, dump.heap_name, dump.end_ts, dump.retained, dump.allocated, dump.delta;

-- A dump of a heap of a process, as a slice over the time that it covers. Without a recorded start,
-- the slice starts after the previous dump of the heap, or at the start of the trace.
CREATE PERFETTO TABLE _android_heap_profile_intervals(
  -- First allocation of the dump; join with `heap_profile_allocation` on `id`.
  id JOINID(heap_profile_allocation.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the heap.
  heap_name STRING,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Time until the dump, ns.
  dur DURATION,
  -- Bytes that were allocated in this time and not freed in it. Counts call stacks with more
  -- allocations than frees.
  retained LONG,
  -- Bytes that were allocated in this time.
  allocated LONG,
  -- Allocated bytes minus all bytes freed in this time.
  delta LONG
) AS
SELECT
  id, upid, heap_name, start_ts AS ts, end_ts - start_ts AS dur, retained, allocated, delta
FROM (
  SELECT
    *,
    CASE
      WHEN recorded_start < end_ts THEN recorded_start
      ELSE min(
        1 + lag(end_ts, 1, trace_start()) OVER (PARTITION BY upid, heap_name ORDER BY end_ts),
        end_ts
      )
    END AS start_ts
  FROM _android_heap_profile_dumps
)
ORDER BY upid, heap_name, end_ts;
