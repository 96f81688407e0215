-- A counter track of the perf profiler, read at each sample. The values are in `counter`.
CREATE PERFETTO VIEW perf_counter_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the counter.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- Description of the track.
  description STRING,
  -- Number of the profiling session.
  perf_session_id LONG,
  -- CPU of the track, numbered per machine.
  cpu LONG,
  -- Whether this counter triggers the samples (the timebase).
  is_timebase BOOL
) AS
SELECT
  track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.machine_id,
  track.unit, track.description, session.int_value AS perf_session_id, track.cpu,
  timebase.int_value AS is_timebase
FROM __stored_track AS track
JOIN args AS session
  ON track.dimension_arg_set_id = session.arg_set_id AND session.key = 'perf_session_id'
JOIN args AS timebase
  ON track.source_arg_set_id = timebase.arg_set_id AND timebase.key = 'is_timebase'
WHERE track.is_counter = 1;

-- A session of the perf profiler: samples that one data source took.
CREATE PERFETTO VIEW perf_session(
  -- Unique id of the session.
  id LONG,
  -- The same as `id`.
  perf_session_id LONG,
  -- Command line of the profiler; NULL if unknown.
  cmdline STRING
) AS
SELECT id, id AS perf_session_id, cmdline
FROM __intrinsic_profiler_session
WHERE source = 'linux.perf';

-- A sample of the perf profiler. Samples of counters alone have no call stack.
CREATE PERFETTO VIEW perf_sample(
  -- Unique id of the sample; join with `stack_sample` on `id`.
  id ID,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Thread; NULL if unknown. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU number on its machine; NULL if unknown.
  cpu LONG,
  -- Mode of the CPU, such as `user` or `kernel`; `unknown` if it was not recorded.
  cpu_mode STRING,
  -- Call stack; NULL without one. Join with `stack_profile_callsite` on `id`.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Error that ended the unwinding of the stack; NULL without one.
  unwind_error STRING,
  -- Session; join with `perf_session` on `id`.
  perf_session_id JOINID(perf_session.id)
) AS
SELECT
  sample.id, sample.ts, task.utid, __cpu_of(execution.ucpu) AS cpu,
  coalesce(execution.cpu_mode, 'unknown') AS cpu_mode, sample.callsite_id,
  sample.unwind_error, sample.session_id AS perf_session_id
FROM __intrinsic_profiler_sample AS sample
LEFT JOIN __intrinsic_profiler_task_context AS task ON task.id = sample.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS execution
  ON execution.id = sample.execution_context_id
WHERE sample.source = 'linux.perf';
