-- Samples of what ran on CPUs, whoever took them.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- A sample of a thread.
CREATE PERFETTO TABLE cpu_profiling_samples(
  -- The sample, numbered from 1 on in the order of time.
  id LONG,
  -- When it was taken.
  ts TIMESTAMP,
  -- The thread.
  utid JOINID(thread.id),
  -- The kernel's number for the thread.
  tid LONG,
  -- The thread's name.
  thread_name STRING,
  -- The CPU, unique over machines; NULL where the sampler does not say.
  ucpu LONG,
  -- The machine's number for the CPU.
  cpu LONG,
  -- The call stack.
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

-- The functions of the samples' call stacks, with samples of their own.
CREATE PERFETTO TABLE _cpu_profiling_self_callsites AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count
FROM _callstacks_for_callsites!(
  (SELECT callsite_id FROM cpu_profiling_samples WHERE callsite_id IS NOT NULL)
)
ORDER BY id;

-- A function of the samples' call stacks, as a tree.
CREATE PERFETTO TABLE cpu_profiling_summary_tree(
  -- The function, as a node of the tree.
  id LONG,
  -- The function that called it; NULL for those that nothing called.
  parent_id LONG,
  -- The name of the function.
  name STRING,
  -- The file it was loaded from.
  mapping_name STRING,
  -- The source file it is written in, where that is known.
  source_file STRING,
  -- The line of it.
  line_number LONG,
  -- How many samples have it as their innermost function.
  self_count LONG,
  -- How many samples have it or anything it called as their innermost function.
  cumulative_count LONG
) AS
SELECT
  f.id, f.parent_id, f.name, f.mapping_name, f.source_file, f.line_number, f.self_count,
  c.cumulative_count
FROM _cpu_profiling_self_callsites AS f
JOIN _callstacks_self_to_cumulative!(_cpu_profiling_self_callsites) AS c ON c.id = f.id
ORDER BY f.id;
