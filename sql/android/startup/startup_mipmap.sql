-- App startups in steps of 1 ms: what the main thread mostly did in each.

INCLUDE PERFETTO MODULE android.process_metadata;

INCLUDE PERFETTO MODULE android.startup.startups;

INCLUDE PERFETTO MODULE intervals.mipmap;

INCLUDE PERFETTO MODULE sched.states;

INCLUDE PERFETTO MODULE slices.flat_slices;

-- Main threads of the processes that each startup started, with the period of the startup.
CREATE PERFETTO TABLE _startup_main_threads AS
SELECT
  row_number() OVER (ORDER BY startup.ts, thread.utid) AS main_id,
  startup.startup_id,
  startup.startup_type,
  startup.package,
  startup.ts,
  startup.ts + startup.dur AS ts_end,
  startup.dur,
  thread.upid,
  thread.utid
FROM android_startups AS startup
JOIN android_startup_processes AS started ON started.startup_id = startup.startup_id
JOIN android_process_metadata AS metadata ON metadata.upid = started.upid
JOIN thread ON thread.upid = started.upid AND thread.is_main_thread = 1
WHERE startup.dur > 0;

-- Scheduling states of each main thread, clipped to the startup.
CREATE PERFETTO TABLE _startup_thread_states AS
SELECT
  main.main_id,
  greatest(state.ts, main.ts) AS ts,
  least(state.ts + state.dur, main.ts_end) - greatest(state.ts, main.ts) AS dur,
  sched_state_to_human_readable_string(state.state) AS state,
  state.io_wait,
  state.blocked_function
FROM _startup_main_threads AS main
JOIN thread_state AS state ON state.utid = main.utid
WHERE state.dur >= 0 AND state.ts < main.ts_end AND state.ts + state.dur > main.ts;

-- Innermost slices of each main thread that overlap the startup.
CREATE PERFETTO TABLE _startup_innermost_slices AS
SELECT main.main_id, innermost.ts, innermost.dur, innermost.name, innermost.depth
FROM _startup_main_threads AS main
JOIN _slice_flattened AS innermost ON innermost.utid = main.utid
WHERE innermost.ts < main.ts_end AND innermost.ts + innermost.dur > main.ts;

-- States of each main thread with the innermost slice, if the thread is in a slice.
CREATE VIRTUAL TABLE _startup_thread_states_and_slices USING SPAN_LEFT_JOIN(
  _startup_thread_states PARTITIONED main_id,
  _startup_innermost_slices PARTITIONED main_id
);

-- The same periods with the startup. Periods with the same slice name, depth and state form a
-- group.
CREATE PERFETTO TABLE _startup_activities AS
SELECT
  row_number() OVER (ORDER BY part.ts, part.main_id) AS id,
  dense_rank() OVER (
    ORDER BY part.name, part.depth, part.state, part.io_wait, part.blocked_function
  ) AS group_hash,
  part.ts,
  part.dur,
  main.startup_id,
  main.upid,
  main.package,
  main.startup_type,
  main.dur AS startup_dur,
  part.name,
  part.state,
  part.depth,
  part.io_wait,
  part.blocked_function
FROM _startup_thread_states_and_slices AS part
JOIN _startup_main_threads AS main ON main.main_id = part.main_id;

-- Steps of 1 ms of each startup.
CREATE PERFETTO TABLE _startup_steps AS
SELECT * FROM _mipmap_buckets_table!(_startup_activities, startup_id, 1000000);

-- A period of one or more steps of a startup in which the same activity of the main thread took the
-- longest time.
CREATE PERFETTO TABLE _android_startup_mipmap_1ms(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; a multiple of 1 ms.
  dur DURATION,
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id JOINID(android_startups.startup_id),
  -- Process; join with `process` on `upid`.
  upid LONG,
  -- Package that started.
  package STRING,
  -- Type of the startup: `cold`, `warm` or `hot`.
  startup_type STRING,
  -- Duration of the whole startup, ns.
  startup_dur DURATION,
  -- Name of the innermost slice; NULL outside slices.
  name STRING,
  -- Scheduling state.
  state STRING,
  -- Depth of the slice; NULL outside slices.
  depth LONG,
  -- Whether the thread waited for I/O.
  io_wait LONG,
  -- Kernel function that the thread was blocked in.
  blocked_function STRING
) AS
SELECT
  merged.ts,
  merged.dur,
  activity.startup_id,
  activity.upid,
  activity.package,
  activity.startup_type,
  activity.startup_dur,
  activity.name,
  activity.state,
  activity.depth,
  activity.io_wait,
  activity.blocked_function
FROM _mipmap_merged!(_startup_activities, _startup_steps, startup_id, 1000000) AS merged
JOIN _startup_activities AS activity ON activity.id = merged.id
ORDER BY merged.ts, activity.startup_id;
