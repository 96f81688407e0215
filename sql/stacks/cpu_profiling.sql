-- CPU profiling samples of all profilers.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- A CPU profiling sample: a call stack that a profiler took on time, cycles or instructions.
CREATE PERFETTO TABLE cpu_profiling_samples(
  -- Unique id of the sample; join with `stack_sample` on `id`.
  id LONG,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Thread; NULL if unknown. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread; NULL if unknown.
  tid LONG,
  -- Name of the thread; NULL if unknown.
  thread_name STRING,
  -- CPU, unique across machines; NULL if the profiler does not record it. Join with `cpu` on
  -- `ucpu`.
  ucpu LONG,
  -- CPU number on its machine; NULL if the profiler does not record it.
  cpu LONG,
  -- Call stack of the sample; join with `stack_profile_callsite` on `id`.
  callsite_id LONG,
  -- Profiler, such as `linux.perf` or `chrome`.
  source STRING
) AS
SELECT
  s.id, s.ts, task.utid, t.tid, t.name AS thread_name, execution.ucpu, cpu.cpu, s.callsite_id,
  s.source
FROM stack_sample AS s
LEFT JOIN stack_sample_session AS session ON session.id = s.session_id
LEFT JOIN stack_sample_task_context AS task ON task.id = s.task_context_id
LEFT JOIN stack_sample_execution_context AS execution ON execution.id = s.execution_context_id
LEFT JOIN thread AS t ON t.utid = task.utid
LEFT JOIN cpu ON cpu.ucpu = execution.ucpu
WHERE coalesce(session.timebase_unit, 'ns') IN ('ns', 'cycles', 'instructions')
ORDER BY s.ts;

-- Functions of the call stacks of samples, with their own sample counts.
CREATE PERFETTO TABLE _cpu_profiling_self_callsites AS
SELECT * FROM _callstacks_for_callsites!(cpu_profiling_samples) ORDER BY id;

-- A function of the call stacks of samples. The rows form trees.
CREATE PERFETTO TABLE cpu_profiling_summary_tree(
  -- Unique id of the node.
  id LONG,
  -- Node of the calling function; NULL for a root. Join with `cpu_profiling_summary_tree` on `id`.
  parent_id LONG,
  -- Name of the function.
  name STRING,
  -- Path of the binary that contains the function.
  mapping_name STRING,
  -- Source file of the function; NULL if unknown.
  source_file STRING,
  -- Line number in the source file; NULL if unknown.
  line_number LONG,
  -- Number of samples with this node as innermost function.
  self_count LONG,
  -- Number of samples with this node in the call stack.
  cumulative_count LONG
) AS
SELECT * FROM _callstacks_with_cumulative!(_cpu_profiling_self_callsites);
