-- Garbage collections of the Android runtime: reclaimed memory and thread states.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- Collections: top-level thread slices `…concurrent…GC`. If the compaction phase follows as a slice
-- of its own, its duration is added.
CREATE PERFETTO TABLE _gc_slices AS
WITH outermost AS (
  SELECT
    slice.id,
    slice.name,
    slice.ts,
    CASE WHEN slice.dur < 0 THEN trace_end() - slice.ts ELSE slice.dur END AS dur,
    lead(slice.name) OVER on_track AS next_name,
    lead(slice.dur) OVER on_track AS next_dur,
    thread.utid,
    thread.tid,
    thread.name AS thread_name,
    process.upid,
    process.pid,
    process.name AS process_name
  FROM slice
  JOIN thread_track AS track ON track.id = slice.track_id
  JOIN thread USING (utid)
  LEFT JOIN process USING (upid)
  WHERE slice.depth = 0
  WINDOW on_track AS (PARTITION BY slice.track_id ORDER BY slice.ts)
)
SELECT
  *,
  dur + CASE
    WHEN next_name IN ('CompactionPhase', 'Background concurrent copying GC') THEN next_dur
    ELSE 0
  END AS gc_dur
FROM outermost
WHERE name GLOB '*concurrent*GC';

-- Heap size of each process in KB, from one change to the next.
CREATE PERFETTO TABLE _gc_heap_sizes AS
SELECT
  track.upid,
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts)
    AS end_ts,
  CAST(counter.value AS BIGINT) AS value
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'Heap size (KB)' AND track.upid IS NOT NULL;

-- First heap size reported after each collection.
CREATE PERFETTO TABLE _gc_heap_after AS
SELECT id, value
FROM (
  SELECT
    gc.id,
    heap.value,
    row_number() OVER (PARTITION BY gc.id ORDER BY heap.ts) AS nth
  FROM _gc_slices AS gc
  JOIN _gc_heap_sizes AS heap ON heap.upid = gc.upid AND heap.ts >= gc.ts + gc.gc_dur
)
WHERE nth = 1;

-- Smallest and largest heap size during each collection and directly after it.
CREATE PERFETTO TABLE _gc_heap_range AS
SELECT
  gc.id,
  least(min(heap.value), coalesce(min(after.value), min(heap.value))) / 1e3 AS min_heap_mb,
  greatest(max(heap.value), coalesce(max(after.value), max(heap.value))) / 1e3 AS max_heap_mb
FROM _gc_slices AS gc
JOIN _gc_heap_sizes AS heap
  ON heap.upid = gc.upid AND heap.ts < gc.ts + gc.gc_dur AND heap.end_ts > gc.ts
LEFT JOIN _gc_heap_after AS after ON after.id = gc.id
GROUP BY gc.id;

-- Time of the thread of each collection in each scheduling state.
CREATE PERFETTO TABLE _gc_states AS
SELECT
  gc.id,
  state.state,
  state.io_wait,
  sum(
    CASE
      WHEN state.dur < 0 OR state.ts + state.dur > gc.ts + gc.gc_dur THEN gc.ts + gc.gc_dur
      ELSE state.ts + state.dur
    END - greatest(state.ts, gc.ts)
  ) AS dur
FROM _gc_slices AS gc
JOIN thread_state AS state
  ON state.utid = gc.utid
  AND state.ts < gc.ts + gc.gc_dur
  AND (state.dur < 0 OR state.ts + state.dur > gc.ts)
GROUP BY gc.id, state.state, state.io_wait;

-- A garbage collection of a process with heap size counters.
CREATE PERFETTO TABLE android_garbage_collection_events(
  -- Kernel id of the collecting thread.
  tid LONG,
  -- Kernel id of the process.
  pid LONG,
  -- Collecting thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the thread.
  thread_name STRING,
  -- Name of the process.
  process_name STRING,
  -- Type: `young`, `full`, `alloc`, `native_alloc`, `explicit` or `collector_transition`.
  gc_type STRING,
  -- Whether the collection is mark-compact and not copying.
  is_mark_compact LONG,
  -- Largest minus smallest heap size, in MB.
  reclaimed_mb DOUBLE,
  -- Smallest heap size during the collection and directly after it, in MB.
  min_heap_mb DOUBLE,
  -- Largest heap size during the collection and directly after it, in MB.
  max_heap_mb DOUBLE,
  -- Slice of the collection; join with `slice` on `id`.
  gc_id LONG,
  -- Start, ns in trace time.
  gc_ts TIMESTAMP,
  -- Duration, ns.
  gc_dur DURATION,
  -- Time that the collecting thread ran, ns.
  gc_running_dur DURATION,
  -- Time that the collecting thread was runnable but had no CPU, ns.
  gc_runnable_dur DURATION,
  -- Time that the collecting thread was in uninterruptible sleep for I/O, ns.
  gc_unint_io_dur DURATION,
  -- Time that the collecting thread was in uninterruptible sleep for other reasons, ns.
  gc_unint_non_io_dur DURATION,
  -- Time that the collecting thread was in interruptible sleep, ns.
  gc_int_dur LONG
) AS
WITH states AS (
  SELECT
    id,
    sum(CASE WHEN state = 'Running' THEN dur ELSE 0 END) AS running,
    sum(CASE WHEN state IN ('R', 'R+') THEN dur ELSE 0 END) AS runnable,
    sum(CASE WHEN state = 'D' AND io_wait = 1 THEN dur ELSE 0 END) AS for_io,
    sum(CASE WHEN state = 'D' AND io_wait = 0 THEN dur ELSE 0 END) AS for_other,
    sum(CASE WHEN state = 'S' THEN dur ELSE 0 END) AS asleep
  FROM _gc_states
  GROUP BY id
)
SELECT
  gc.tid,
  gc.pid,
  gc.utid,
  gc.upid,
  gc.thread_name,
  gc.process_name,
  CASE
    WHEN gc.name GLOB '*NativeAlloc*' THEN 'native_alloc'
    WHEN gc.name GLOB '*Alloc*' THEN 'alloc'
    WHEN gc.name GLOB '*young*' THEN 'young'
    WHEN gc.name GLOB '*CollectorTransition*' THEN 'collector_transition'
    WHEN gc.name GLOB '*Explicit*' THEN 'explicit'
    ELSE 'full'
  END AS gc_type,
  CASE WHEN gc.name GLOB '*mark compact*' THEN 1 ELSE 0 END AS is_mark_compact,
  heap.max_heap_mb - heap.min_heap_mb AS reclaimed_mb,
  heap.min_heap_mb,
  heap.max_heap_mb,
  gc.id AS gc_id,
  gc.ts AS gc_ts,
  gc.gc_dur,
  coalesce(states.running, 0) AS gc_running_dur,
  coalesce(states.runnable, 0) AS gc_runnable_dur,
  coalesce(states.for_io, 0) AS gc_unint_io_dur,
  coalesce(states.for_other, 0) AS gc_unint_non_io_dur,
  coalesce(states.asleep, 0) AS gc_int_dur
FROM _gc_slices AS gc
JOIN _gc_heap_range AS heap ON heap.id = gc.id
LEFT JOIN states ON states.id = gc.id
ORDER BY gc.ts;
