-- Call stacks of samples as trees.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE graphs.search;

-- A function of a frame: the frame's own, and those that were built into it, `place` 1 being the
-- innermost of `places`.
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

-- A function of a callsite, numbered from 0 on.
CREATE PERFETTO TABLE _callstack_function AS
SELECT
  row_number() OVER (ORDER BY c.id, f.place) - 1 AS id,
  c.id AS callsite_id,
  c.parent_id AS parent_callsite_id,
  f.mapping_id, f.name, f.source_file, f.line_number, f.inlined, f.place, f.places
FROM stack_profile_callsite AS c
JOIN _callstack_frame_function AS f ON f.frame_id = c.frame_id;

-- The functions of all callsites as trees, `parent_id` being the function that called.
CREATE PERFETTO TABLE _callstack_spc_forest(
  -- The function's place in the tree.
  id LONG,
  -- The place of the function that called it; NULL for those that nothing called.
  parent_id LONG,
  -- The function's name.
  name STRING,
  -- The file it was loaded from.
  mapping_id JOINID(stack_profile_mapping.id),
  -- The source file it is written in, where that is known.
  source_file STRING,
  -- The line of it.
  line_number LONG,
  -- Whether it was built into the function that calls it.
  inlined LONG,
  -- The callsite.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Whether it is the callsite's innermost function.
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

-- The part of the trees that callsites are in: `id`, `parent_id`, `callsite_id`, `name`,
-- `mapping_name`, `source_file`, `line_number`, `inlined` and
-- `is_leaf_function_in_callsite_frame`.
CREATE PERFETTO MACRO _callstacks_for_stack_profile_samples(
  -- The callsites: `callsite_id`.
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

-- The same with how many samples have the function as their innermost: `id`, `parent_id`, `name`,
-- `mapping_name`, `source_file`, `line_number` and `self_count`.
CREATE PERFETTO MACRO _callstacks_for_callsites(
  -- The samples: `callsite_id`.
  samples TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __c.id, __c.parent_id, __c.name, __c.mapping_name, __c.source_file, __c.line_number,
    CASE
      WHEN __c.is_leaf_function_in_callsite_frame = 1 THEN coalesce(__counted.samples, 0) ELSE 0
    END AS self_count
  FROM _callstacks_for_stack_profile_samples!($samples) AS __c
  LEFT JOIN (
    SELECT callsite_id, count(*) AS samples FROM $samples GROUP BY callsite_id
  ) AS __counted ON __counted.callsite_id = __c.callsite_id
);

-- How many samples a function and all it called have: `id` and `cumulative_count`.
CREATE PERFETTO MACRO _callstacks_self_to_cumulative(
  -- The functions: `id`, `parent_id` and `self_count`.
  callstacks TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT __around.node_id AS id, sum(__f.self_count) AS cumulative_count
  FROM graph_reachable_weight_bounded_dfs!(
    (
      SELECT id AS source_node_id, parent_id AS dest_node_id, 0 AS edge_weight
      FROM $callstacks
      WHERE parent_id IS NOT NULL
    ),
    (SELECT id AS root_node_id, 0 AS root_target_weight FROM $callstacks),
    0
  ) AS __around
  JOIN $callstacks AS __f ON __f.id = __around.root_node_id
  GROUP BY __around.node_id
);
