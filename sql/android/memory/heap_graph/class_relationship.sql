-- Inheritance of Java classes.

INCLUDE PERFETTO MODULE graphs.search;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE graphs.scan;

-- Returns classes and all classes that inherit from them: `id`, the class; `ancestor_class_id`, the
-- given class; and `ancestor_class_name`, its name. A given class is its own descendant.
CREATE PERFETTO MACRO android_heap_graph_class_find_descendants(
  -- Classes with `id`, as in `heap_graph_class`.
  ancestor_class_ids TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __found.node_id AS id,
    __ancestor.id AS ancestor_class_id,
    __ancestor.name AS ancestor_class_name
  FROM graph_reachable_weight_bounded_dfs!(
    (
      SELECT superclass_id AS source_node_id, id AS dest_node_id, 0 AS edge_weight
      FROM heap_graph_class
      WHERE superclass_id IS NOT NULL
    ),
    (SELECT id AS root_node_id, 0 AS root_target_weight FROM $ancestor_class_ids),
    0
  ) AS __found
  JOIN heap_graph_class AS __ancestor ON __ancestor.id = __found.root_node_id
);
