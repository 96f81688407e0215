-- Samples of Apple's Instruments.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- Functions of the call stacks of samples, with their own sample counts.
CREATE PERFETTO TABLE _appleos_instruments_functions AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count
FROM _callstacks_for_callsites!(
  (SELECT callsite_id FROM instruments_sample WHERE callsite_id IS NOT NULL)
)
ORDER BY id;

-- A function of the call stacks of samples. The rows form trees.
CREATE PERFETTO TABLE appleos_instruments_samples_summary_tree(
  -- Unique id of the node.
  id LONG,
  -- Node of the calling function; NULL for a root. Join with
  -- `appleos_instruments_samples_summary_tree` on `id`.
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
FROM _appleos_instruments_functions AS f
JOIN _callstacks_self_to_cumulative!(_appleos_instruments_functions) AS c ON c.id = f.id
ORDER BY f.id;
