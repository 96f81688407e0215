-- Call stacks of samples as trees.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE graphs.subtree_sums;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE graphs.scan;

-- Functions of each frame: the function itself and those inlined into it. `place` numbers them from
-- 1 (innermost) to `places`.
CREATE PERFETTO VIEW _callstack_frame_function AS
SELECT
  f.id AS frame_id,
  f.mapping AS mapping_id,
  coalesce(s.name, f.deobfuscated_name, f.name) AS name,
  s.source_file,
  s.line_number,
  s.inlined,
  row_number() OVER (PARTITION BY f.id ORDER BY s.id) AS place,
  count(*) OVER (PARTITION BY f.id) AS places
FROM stack_profile_frame AS f
LEFT JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id;

-- Functions of each callsite, numbered from 0.
CREATE PERFETTO TABLE _callstack_function AS
SELECT
  row_number() OVER (ORDER BY c.id, f.place) - 1 AS id,
  c.id AS callsite_id,
  c.parent_id AS parent_callsite_id,
  f.mapping_id, f.name, f.source_file, f.line_number, f.inlined, f.place, f.places
FROM stack_profile_callsite AS c
JOIN _callstack_frame_function AS f ON f.frame_id = c.frame_id;

-- A function of a callsite. All functions form trees in which `parent_id` is the calling function.
CREATE PERFETTO TABLE _callstack_spc_forest(
  -- Unique id of the node.
  id LONG,
  -- Node of the calling function; NULL for a root. Join with `_callstack_spc_forest` on `id`.
  parent_id LONG,
  -- Name of the function.
  name STRING,
  -- Mapping of the binary that contains the function; join with `stack_profile_mapping` on `id`.
  mapping_id JOINID(stack_profile_mapping.id),
  -- Source file of the function; NULL if unknown.
  source_file STRING,
  -- Line number in the source file; NULL if unknown.
  line_number LONG,
  -- Whether the function is inlined into its caller.
  inlined LONG,
  -- Callsite; join with `stack_profile_callsite` on `id`.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Whether this is the innermost function of the callsite.
  is_leaf_function_in_callsite_frame LONG
) AS
SELECT
  f.id,
  CASE WHEN f.place < f.places THEN f.id + 1 ELSE caller.id END AS parent_id,
  coalesce(demangle(f.name), f.name, '[Unknown]') AS name,
  f.mapping_id, f.source_file, f.line_number, f.inlined, f.callsite_id,
  CASE WHEN f.place = 1 THEN 1 ELSE 0 END AS is_leaf_function_in_callsite_frame
FROM _callstack_function AS f
LEFT JOIN _callstack_function AS caller
  ON caller.callsite_id = f.parent_callsite_id AND caller.place = 1
ORDER BY f.id;

-- Returns the part of the trees that contains the given callsites: `id`, `parent_id`,
-- `callsite_id`, `name`, `mapping_name`, `source_file`, `line_number`, `inlined` and
-- `is_leaf_function_in_callsite_frame`.
CREATE PERFETTO MACRO _callstacks_for_stack_profile_samples(
  -- Callsites, with column `callsite_id`.
  spc_samples TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __f.id, __f.parent_id, __f.callsite_id, __f.name, __m.name AS mapping_name, __f.source_file,
    __f.line_number, __f.inlined, __f.is_leaf_function_in_callsite_frame
  FROM _tree_reachable_ancestors_or_self!(
    _callstack_spc_forest,
    (
      SELECT id
      FROM _callstack_spc_forest
      WHERE
        is_leaf_function_in_callsite_frame = 1
        AND callsite_id IN (SELECT callsite_id FROM $spc_samples)
    )
  ) AS __reached
  JOIN _callstack_spc_forest AS __f ON __f.id = __reached.id
  JOIN stack_profile_mapping AS __m ON __m.id = __f.mapping_id
);

-- Returns the trees of the callsites with the sum of the values of the samples that have the node as
-- innermost function: `id`, `parent_id`, `name`, `mapping_name`, `source_file`, `line_number` and
-- `self_value`.
CREATE PERFETTO MACRO _callstacks_for_callsites_weighted(
  -- Samples, with columns `callsite_id` and `value`.
  samples TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __c.id, __c.parent_id, __c.name, __c.mapping_name, __c.source_file, __c.line_number,
    CASE
      WHEN __c.is_leaf_function_in_callsite_frame = 1 THEN coalesce(__sampled.sampled_value, 0)
      ELSE 0
    END AS self_value
  FROM _callstacks_for_stack_profile_samples!($samples) AS __c
  LEFT JOIN (
    SELECT callsite_id, sum(value) AS sampled_value FROM $samples GROUP BY callsite_id
  ) AS __sampled ON __sampled.callsite_id = __c.callsite_id
);

-- Returns the trees of the callsites with the number of samples that have the node as innermost
-- function: `id`, `parent_id`, `name`, `mapping_name`, `source_file`, `line_number` and
-- `self_count`.
CREATE PERFETTO MACRO _callstacks_for_callsites(
  -- Samples, with column `callsite_id`.
  samples TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT id, parent_id, name, mapping_name, source_file, line_number, self_value AS self_count
  FROM _callstacks_for_callsites_weighted!((SELECT callsite_id, 1 AS value FROM $samples))
);

-- Returns the number of samples of each function including its callees: `id` and
-- `cumulative_count`.
CREATE PERFETTO MACRO _callstacks_self_to_cumulative(
  -- Functions with `id`, `parent_id` and `self_count`. Each parent must be one of the functions.
  callstacks TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT id, total_count AS cumulative_count
  FROM _subtree_sums!((
    SELECT id, parent_id, self_count, 0 AS self_size, 0 AS native_size FROM $callstacks
  ))
);

-- Returns the functions with both counts of samples: `id`, `parent_id`, `name`, `mapping_name`,
-- `source_file`, `line_number`, `self_count` and `cumulative_count`, in the order of `id`.
CREATE PERFETTO MACRO _callstacks_with_cumulative(
  -- Functions, as `_callstacks_for_callsites!` returns them.
  callstacks TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __f.id, __f.parent_id, __f.name, __f.mapping_name, __f.source_file, __f.line_number,
    __f.self_count, __summed.cumulative_count
  FROM $callstacks AS __f
  JOIN _callstacks_self_to_cumulative!($callstacks) AS __summed ON __summed.id = __f.id
  ORDER BY __f.id
);
