-- Garbage collections of Android's runtime: what each freed, and what its thread was doing.

-- The collections: the outermost slices `…concurrent…GC` of threads. The phase of compaction can
-- follow as a slice of its own, which then counts.
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

-- The size of each process's heap in KB, from one change to the next.
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

-- The first size told after each collection: what it left.
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

-- The smallest and the largest size in the course of each collection and just after it.
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

-- How long each collection's thread was in each state in its course.
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

-- A garbage collection of a process whose heap's size is told.
CREATE PERFETTO TABLE android_garbage_collection_events(
  -- The number of the thread that collects.
  tid LONG,
  -- The process's number.
  pid LONG,
  -- The thread that collects.
  utid JOINID(thread.id),
  -- The process.
  upid JOINID(process.id),
  -- The thread's name.
  thread_name STRING,
  -- The process's name.
  process_name STRING,
  -- `young`, `full`, `alloc`, `native_alloc`, `explicit` or `collector_transition`.
  gc_type STRING,
  -- Whether it marks and compacts, rather than copies.
  is_mark_compact LONG,
  -- How much the heap shrank from its largest to its smallest size, in MB.
  reclaimed_mb DOUBLE,
  -- The heap's smallest size in its course and just after, in MB.
  min_heap_mb DOUBLE,
  -- The heap's largest size, in MB.
  max_heap_mb DOUBLE,
  -- The slice.
  gc_id LONG,
  -- When it began.
  gc_ts TIMESTAMP,
  -- How long it took.
  gc_dur DURATION,
  -- How long its thread ran.
  gc_running_dur DURATION,
  -- How long its thread waited for a CPU.
  gc_runnable_dur DURATION,
  -- How long its thread slept in the kernel for I/O.
  gc_unint_io_dur DURATION,
  -- How long its thread slept in the kernel for something else.
  gc_unint_non_io_dur DURATION,
  -- How long its thread slept so that signals could wake it.
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
