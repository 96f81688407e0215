-- References between Java objects that do not keep the target alive.

-- Referents of objects of the classes for weak, phantom and finalizer references.
CREATE PERFETTO TABLE _excluded_refs(
  -- Reference; join with `heap_graph_reference` on `id`.
  id JOINID(heap_graph_reference.id)
) AS
SELECT reference.id
FROM heap_graph_class AS class
JOIN heap_graph_object AS object ON object.type_id = class.id
JOIN heap_graph_reference AS reference ON reference.reference_set_id = object.reference_set_id
WHERE
  class.kind IN ('KIND_WEAK_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_FINALIZER_REFERENCE')
  AND reference.field_name = 'java.lang.ref.Reference.referent'
ORDER BY reference.id;
