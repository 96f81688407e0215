-- CPU profiling samples of all profilers.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- A CPU profiling sample of a thread.
CREATE PERFETTO TABLE cpu_profiling_samples(
  -- Number of the sample, from 1 in order of time.
  id LONG,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Kernel id of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- CPU, unique across machines; NULL if the profiler does not record it. Join with `cpu` on
  -- `ucpu`.
  ucpu LONG,
  -- CPU number on its machine.
  cpu LONG,
  -- Call stack of the sample; join with `stack_profile_callsite` on `id`.
  callsite_id LONG
) AS
SELECT
  row_number() OVER (ORDER BY s.ts) AS id,
  s.ts, s.utid, t.tid, t.name AS thread_name, s.ucpu, cpu.cpu, s.callsite_id
FROM (
  SELECT ts, utid, cpu AS ucpu, callsite_id FROM perf_sample
  UNION ALL
  SELECT ts, utid, cpu, callsite_id FROM instruments_sample
  UNION ALL
  SELECT ts, utid, NULL, callsite_id FROM cpu_profile_stack_sample
) AS s
LEFT JOIN thread AS t ON t.utid = s.utid
LEFT JOIN cpu ON cpu.ucpu = s.ucpu
ORDER BY s.ts;

-- Functions of the call stacks of samples, with their own sample counts.
CREATE PERFETTO TABLE _cpu_profiling_self_callsites AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count
FROM _callstacks_for_callsites!(
  (SELECT callsite_id FROM cpu_profiling_samples WHERE callsite_id IS NOT NULL)
)
ORDER BY id;

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
SELECT
  f.id, f.parent_id, f.name, f.mapping_name, f.source_file, f.line_number, f.self_count,
  c.cumulative_count
FROM _cpu_profiling_self_callsites AS f
JOIN _callstacks_self_to_cumulative!(_cpu_profiling_self_callsites) AS c ON c.id = f.id
ORDER BY f.id;
