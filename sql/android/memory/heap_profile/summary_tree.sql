-- Memory by call stack in heap profiles.

INCLUDE PERFETTO MODULE android.memory.heap_profile.callstacks;
INCLUDE PERFETTO MODULE graphs.subtree_sums;

-- Functions of the call stacks of all allocations, with their own sums.
CREATE PERFETTO TABLE _android_heap_profile_functions AS
SELECT
  id, parent_id, name, mapping_name, source_file, line_number, self_size, self_alloc_size
FROM _android_heap_profile_callstacks_for_allocations!((
  SELECT
    callsite_id, size, count, max(size, 0) AS alloc_size, max(count, 0) AS alloc_count
  FROM heap_profile_allocation
))
ORDER BY id;

-- A function of the call stacks of allocations, of all processes and heaps together. The rows form
-- trees.
CREATE PERFETTO TABLE android_heap_profile_summary_tree(
  -- Unique id of the node.
  id LONG,
  -- Node of the calling function; NULL for a root. Join with `android_heap_profile_summary_tree` on
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
  -- Bytes that were allocated and not freed with this node as innermost function.
  self_size LONG,
  -- Bytes that were allocated and not freed with this node in the call stack.
  cumulative_size LONG,
  -- Bytes that were allocated with this node as innermost function, freed ones included.
  self_alloc_size LONG,
  -- Bytes that were allocated with this node in the call stack, freed ones included.
  cumulative_alloc_size LONG
) AS
SELECT
  function.id, function.parent_id, function.name, function.mapping_name, function.source_file,
  function.line_number, function.self_size,
  subtree.total_size AS cumulative_size,
  function.self_alloc_size,
  subtree.total_native_size AS cumulative_alloc_size
FROM _android_heap_profile_functions AS function
JOIN _subtree_sums!((
  SELECT
    id, parent_id, 0 AS self_count, self_size, self_alloc_size AS native_size
  FROM _android_heap_profile_functions
)) AS subtree ON subtree.id = function.id
ORDER BY function.id;
