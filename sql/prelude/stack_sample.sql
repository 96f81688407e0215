-- A session of a profiler that samples call stacks.
CREATE PERFETTO VIEW stack_sample_session(
  -- Unique id of the session.
  id ID,
  -- Profiler, such as `linux.perf`.
  source STRING,
  -- Unit of the counter that triggers the samples (the timebase), such as `ns`; NULL if unknown.
  timebase_unit STRING,
  -- Command line of the profiler; NULL if unknown.
  cmdline STRING
) AS
SELECT id, source, timebase_unit, cmdline
FROM __intrinsic_profiler_session
WHERE id IN (SELECT session_id FROM __intrinsic_profiler_sample WHERE callsite_id IS NOT NULL);

-- An asynchronous task, such as a goroutine, that samples with call stacks are attributed to, or
-- one that started such a task.
CREATE PERFETTO VIEW stack_sample_async_context(
  -- Unique id of the task.
  id ID,
  -- Name; NULL if unknown.
  name STRING,
  -- Kind, such as `goroutine`; NULL if unknown.
  kind STRING,
  -- Task that started this one; join with `stack_sample_async_context` on `id`.
  parent_id JOINID(stack_sample_async_context.id)
) AS
WITH RECURSIVE named(id) AS (
  SELECT task.async_context_id
  FROM __intrinsic_profiler_sample AS sample
  JOIN __intrinsic_profiler_task_context AS task ON task.id = sample.task_context_id
  WHERE sample.callsite_id IS NOT NULL AND task.async_context_id IS NOT NULL
  UNION
  SELECT context.parent_id
  FROM named
  JOIN __intrinsic_profiler_async_context AS context ON context.id = named.id
  WHERE context.parent_id IS NOT NULL
)
SELECT id, name, kind, parent_id
FROM __intrinsic_profiler_async_context
WHERE id IN (SELECT id FROM named);

-- What samples with call stacks are attributed to: a process, a thread, an asynchronous task, or
-- several of them.
CREATE PERFETTO VIEW stack_sample_task_context(
  -- Unique id of the context.
  id ID,
  -- Process; NULL if unknown. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread; NULL if unknown. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Asynchronous task; NULL without one. Join with `stack_sample_async_context` on `id`.
  async_context_id JOINID(stack_sample_async_context.id)
) AS
SELECT id, upid, utid, async_context_id
FROM __intrinsic_profiler_task_context
WHERE id IN (SELECT task_context_id FROM __intrinsic_profiler_sample WHERE callsite_id IS NOT NULL);

-- The CPU and the mode of samples with call stacks.
CREATE PERFETTO VIEW stack_sample_execution_context(
  -- Unique id of the context.
  id ID,
  -- CPU, unique across machines; NULL if unknown. Join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id),
  -- Mode of the CPU, such as `user` or `kernel`; NULL if unknown.
  cpu_mode STRING
) AS
SELECT id, ucpu, cpu_mode
FROM __intrinsic_profiler_execution_context
WHERE id IN (
  SELECT execution_context_id FROM __intrinsic_profiler_sample WHERE callsite_id IS NOT NULL
);

-- A sample of any profiler with a call stack.
CREATE PERFETTO VIEW stack_sample(
  -- Unique id of the sample.
  id ID,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Profiler, such as `linux.perf` or `chrome`.
  source STRING,
  -- What the sample is attributed to; join with `stack_sample_task_context` on `id`.
  task_context_id JOINID(stack_sample_task_context.id),
  -- CPU and mode; NULL if unknown. Join with `stack_sample_execution_context` on `id`.
  execution_context_id JOINID(stack_sample_execution_context.id),
  -- Call stack; join with `stack_profile_callsite` on `id`.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Session of the profiler; NULL if unknown. Join with `stack_sample_session` on `id`.
  session_id JOINID(stack_sample_session.id)
) AS
SELECT id, ts, source, task_context_id, execution_context_id, callsite_id, session_id
FROM __intrinsic_profiler_sample
WHERE callsite_id IS NOT NULL;

-- A track of counter values that were read with samples that have call stacks.
CREATE PERFETTO VIEW stack_sample_counter_track(
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
  -- Description of the counter.
  description STRING,
  -- Session of the profiler; join with `stack_sample_session` on `id`.
  session_id JOINID(stack_sample_session.id),
  -- CPU of the track, numbered per machine; NULL for a counter of the whole session.
  cpu LONG,
  -- Whether this counter triggers the samples (the timebase).
  is_timebase BOOL
) AS
SELECT
  track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.machine_id,
  track.unit, track.description, session.int_value AS session_id, track.cpu,
  timebase.int_value AS is_timebase
FROM __stored_track AS track
JOIN args AS session
  ON track.dimension_arg_set_id = session.arg_set_id
  AND session.key IN ('session_id', 'perf_session_id')
JOIN args AS timebase
  ON track.source_arg_set_id = timebase.arg_set_id AND timebase.key = 'is_timebase'
WHERE track.is_counter = 1 AND track.id IN (
  SELECT counter.track_id
  FROM __intrinsic_profiler_sample AS sample
  JOIN __intrinsic_profiler_counter_set AS of_sample
    ON of_sample.counter_set_id = sample.counter_set_id
  JOIN counter ON counter.id = of_sample.counter_id
  WHERE sample.callsite_id IS NOT NULL
);

-- A counter value that was read with a sample that has a call stack.
CREATE PERFETTO VIEW stack_sample_counter(
  -- Unique id of the value; join with `counter` on `id`.
  id ID(counter.id),
  -- Sample; join with `stack_sample` on `id`.
  stack_sample_id JOINID(stack_sample.id),
  -- Track of the counter; join with `stack_sample_counter_track` on `id`.
  track_id JOINID(stack_sample_counter_track.id),
  -- Value, in the unit of the track.
  value DOUBLE
) AS
SELECT counter.id, sample.id AS stack_sample_id, counter.track_id, counter.value
FROM __intrinsic_profiler_sample AS sample
JOIN __intrinsic_profiler_counter_set AS of_sample
  ON of_sample.counter_set_id = sample.counter_set_id
JOIN counter ON counter.id = of_sample.counter_id
WHERE sample.callsite_id IS NOT NULL;

-- A sample of a CPU profile: of Chromium, V8, Firefox, simpleperf, speedscope, of JSON, or of the
-- text of perf.
CREATE PERFETTO VIEW cpu_profile_stack_sample(
  -- Unique id of the sample; join with `stack_sample` on `id`.
  id ID,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Call stack; join with `stack_profile_callsite` on `id`.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Priority of the process; 0 if it is the default, or unknown.
  process_priority LONG
) AS
SELECT
  sample.id, sample.ts, sample.callsite_id, task.utid,
  coalesce(extras.process_priority, 0) AS process_priority
FROM __intrinsic_profiler_sample AS sample
LEFT JOIN __intrinsic_profiler_task_context AS task ON task.id = sample.task_context_id
LEFT JOIN __intrinsic_chrome_stack_sample_extras AS extras ON extras.profiler_sample_id = sample.id
WHERE sample.source IN (
  'chrome', 'legacy_v8', 'cpuprofile', 'gecko', 'simpleperf', 'perf_text', 'speedscope',
  'json'
);

-- A sample of Instruments, the profiler of macOS.
CREATE PERFETTO VIEW instruments_sample(
  -- Unique id of the sample; join with `stack_sample` on `id`.
  id ID,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Call stack; NULL without one. Join with `stack_profile_callsite` on `id`.
  callsite_id JOINID(stack_profile_callsite.id),
  -- CPU number on its machine; NULL if unknown.
  cpu LONG
) AS
SELECT sample.id, sample.ts, task.utid, sample.callsite_id, __cpu_of(execution.ucpu) AS cpu
FROM __intrinsic_profiler_sample AS sample
LEFT JOIN __intrinsic_profiler_task_context AS task ON task.id = sample.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS execution
  ON execution.id = sample.execution_context_id
WHERE sample.source = 'instruments';
