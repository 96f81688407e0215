-- Call stacks of allocations in heap profiles.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- Returns the trees of the call stacks of allocations: `id`, `parent_id`, `name`, `mapping_name`,
-- `source_file`, `line_number`, and the sums for the innermost function, `self_size`, `self_count`,
-- `self_alloc_size` and `self_alloc_count`.
CREATE PERFETTO MACRO _android_heap_profile_callstacks_for_allocations(
  -- Allocations with `callsite_id`, `size` and `count` of what was not freed, and `alloc_size` and
  -- `alloc_count` of all allocations.
  allocations TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __f.id, __f.parent_id, __f.name, __f.mapping_name, __f.source_file, __f.line_number,
    coalesce(__sum.size, 0) AS self_size,
    coalesce(__sum.count, 0) AS self_count,
    coalesce(__sum.alloc_size, 0) AS self_alloc_size,
    coalesce(__sum.alloc_count, 0) AS self_alloc_count
  FROM _callstacks_for_stack_profile_samples!($allocations) AS __f
  LEFT JOIN (
    SELECT
      callsite_id,
      sum(size) AS size,
      sum(count) AS count,
      sum(alloc_size) AS alloc_size,
      sum(alloc_count) AS alloc_count
    FROM $allocations
    GROUP BY callsite_id
  ) AS __sum
    ON __sum.callsite_id = __f.callsite_id AND __f.is_leaf_function_in_callsite_frame = 1
);
