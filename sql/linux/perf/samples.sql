-- Samples of the kernel's sampler.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- The functions of the samples' call stacks, with samples of their own.
CREATE PERFETTO TABLE _linux_perf_raw_callstacks AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count
FROM _callstacks_for_callsites!(
  (SELECT callsite_id FROM perf_sample WHERE callsite_id IS NOT NULL)
)
ORDER BY id;

-- A function of the samples' call stacks, as a tree.
CREATE PERFETTO TABLE linux_perf_samples_summary_tree(
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
FROM _linux_perf_raw_callstacks AS f
JOIN _callstacks_self_to_cumulative!(_linux_perf_raw_callstacks) AS c ON c.id = f.id
ORDER BY f.id;
