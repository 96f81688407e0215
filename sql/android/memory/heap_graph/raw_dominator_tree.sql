-- Dominators of Java objects. An object dominates another if it is on every path of references from
-- the roots to it.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;
INCLUDE PERFETTO MODULE graphs.dominator_tree;

-- Number above all object ids, the id of a node that refers to all roots; NULL without objects.
CREATE PERFETTO VIEW _heap_graph_super_root AS
SELECT max(id) + 1 AS id FROM heap_graph_object;

-- An object that is reachable from a root.
CREATE PERFETTO TABLE _raw_heap_graph_dominator_tree(
  -- Object; join with `heap_graph_object` on `id`.
  id JOINID(heap_graph_object.id),
  -- Immediate dominator; NULL for a root and for an object that several roots reach on separate
  -- paths. Join with `heap_graph_object` on `id`.
  idom_id JOINID(heap_graph_object.id)
) AS
SELECT node_id AS id, nullif(dominator_node_id, super_root.id) AS idom_id
FROM graph_dominator_tree!(
  (
    SELECT reference.owner_id AS source_node_id, reference.owned_id AS dest_node_id
    FROM heap_graph_reference AS reference
    JOIN heap_graph_object AS owner ON owner.id = reference.owner_id
    WHERE
      owner.reachable
      AND reference.owned_id IS NOT NULL
      AND reference.id NOT IN (SELECT id FROM _excluded_refs)
    UNION ALL
    SELECT super_root.id, object.id
    FROM heap_graph_object AS object
    CROSS JOIN _heap_graph_super_root AS super_root
    WHERE object.root_type IS NOT NULL
  ),
  (SELECT id FROM _heap_graph_super_root)
)
CROSS JOIN _heap_graph_super_root AS super_root
WHERE dominator_node_id IS NOT NULL
ORDER BY node_id;
