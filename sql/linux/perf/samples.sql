-- Samples of Linux perf.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- Functions of the call stacks of samples, with their own sample counts.
CREATE PERFETTO TABLE _linux_perf_raw_callstacks AS
SELECT * FROM _callstacks_for_callsites!(perf_sample) ORDER BY id;

-- A function of the call stacks of perf samples. The rows form trees.
CREATE PERFETTO TABLE linux_perf_samples_summary_tree(
  -- Unique id of the node.
  id LONG,
  -- Node of the calling function; NULL for a root. Join with `linux_perf_samples_summary_tree` on
  -- `id`.
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
SELECT * FROM _callstacks_with_cumulative!(_linux_perf_raw_callstacks);
