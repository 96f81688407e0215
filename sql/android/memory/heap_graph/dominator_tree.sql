-- Which objects of Java heaps keep which others alive.

INCLUDE PERFETTO MODULE graphs.dominator_tree;

INCLUDE PERFETTO MODULE graphs.scan;

-- The references that keep nothing alive: those of weak, phantom and finalizer references to what
-- they refer to.
CREATE PERFETTO TABLE _references_that_do_not_keep AS
SELECT reference.id
FROM heap_graph_reference AS reference
JOIN heap_graph_object AS owner ON owner.id = reference.owner_id
JOIN heap_graph_class AS class ON class.id = owner.type_id
WHERE
  reference.field_name = 'java.lang.ref.Reference.referent'
  AND class.kind IN (
    'KIND_WEAK_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_FINALIZER_REFERENCE'
  );

-- The number of a node that stands above the roots of all heaps: one more than the last object's.
CREATE PERFETTO TABLE _heap_graph_super_root AS
SELECT coalesce(max(id), 0) + 1 AS id
FROM heap_graph_object;

-- From each object that can be reached to those it refers to, and from that node to the roots.
CREATE PERFETTO TABLE _heap_graph_keeping_edges AS
SELECT reference.owner_id AS source_node_id, reference.owned_id AS dest_node_id
FROM heap_graph_reference AS reference
JOIN heap_graph_object AS owner ON owner.id = reference.owner_id
LEFT JOIN _references_that_do_not_keep AS weak ON weak.id = reference.id
WHERE owner.reachable = 1 AND reference.owned_id IS NOT NULL AND weak.id IS NULL
UNION ALL
SELECT super_root.id AS source_node_id, object.id AS dest_node_id
FROM heap_graph_object AS object
CROSS JOIN _heap_graph_super_root AS super_root
WHERE object.root_type IS NOT NULL;

-- The nearest object through which every way from the roots to an object leads.
CREATE PERFETTO TABLE _heap_graph_dominators AS
SELECT
  found.node_id AS id,
  CASE
    WHEN found.dominator_node_id <> super_root.id THEN found.dominator_node_id
  END AS idom_id
FROM graph_dominator_tree!(
  _heap_graph_keeping_edges,
  (SELECT id FROM _heap_graph_super_root)
) AS found
CROSS JOIN _heap_graph_super_root AS super_root
WHERE found.node_id <> super_root.id AND found.dominator_node_id IS NOT NULL;

-- How many such objects lie above each, itself included.
CREATE PERFETTO TABLE _heap_graph_dominator_depths AS
SELECT id, depth
FROM _graph_scan!(
  (
    SELECT idom_id AS source_node_id, id AS dest_node_id
    FROM _heap_graph_dominators
    WHERE idom_id IS NOT NULL
  ),
  (SELECT id, 1 AS depth FROM _heap_graph_dominators WHERE idom_id IS NULL),
  (depth),
  (SELECT t.id, t.depth + 1 AS depth FROM $table AS t)
);

-- The sums over what each keeps alive, from the outermost objects inwards.
CREATE PERFETTO TABLE _heap_graph_dominated AS
SELECT id, obj_count, size_bytes, native_size_bytes
FROM _graph_aggregating_scan!(
  (
    SELECT id AS source_node_id, idom_id AS dest_node_id
    FROM _heap_graph_dominators
    WHERE idom_id IS NOT NULL
  ),
  (
    SELECT
      leaf.id,
      1 AS obj_count,
      object.self_size AS size_bytes,
      object.native_size AS native_size_bytes
    FROM _heap_graph_dominators AS leaf
    JOIN heap_graph_object AS object ON object.id = leaf.id
    LEFT JOIN _heap_graph_dominators AS below ON below.idom_id = leaf.id
    WHERE below.id IS NULL
  ),
  (obj_count, size_bytes, native_size_bytes),
  (
    SELECT
      t.id,
      sum(t.obj_count) + 1 AS obj_count,
      sum(t.size_bytes) + object.self_size AS size_bytes,
      sum(t.native_size_bytes) + object.native_size AS native_size_bytes
    FROM $table AS t
    JOIN heap_graph_object AS object ON object.id = t.id
    GROUP BY t.id, object.self_size, object.native_size
  )
);

-- An object that can be reached, and what would be freed with it.
CREATE PERFETTO TABLE heap_graph_dominator_tree(
  -- The object, as in `heap_graph_object`.
  id LONG,
  -- The nearest object through which every way from the roots to it leads; NULL where there is
  -- none.
  idom_id LONG,
  -- How many objects it keeps alive, itself included.
  dominated_obj_count LONG,
  -- Their size in bytes.
  dominated_size_bytes LONG,
  -- The native memory that belongs to them, in bytes.
  dominated_native_size_bytes LONG,
  -- How many such objects lie above it, itself included.
  depth LONG
) AS
SELECT
  dominator.id,
  dominator.idom_id,
  dominated.obj_count AS dominated_obj_count,
  dominated.size_bytes AS dominated_size_bytes,
  dominated.native_size_bytes AS dominated_native_size_bytes,
  depths.depth
FROM _heap_graph_dominators AS dominator
JOIN _heap_graph_dominated AS dominated ON dominated.id = dominator.id
JOIN _heap_graph_dominator_depths AS depths ON depths.id = dominator.id
ORDER BY dominator.id;
