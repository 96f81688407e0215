-- Trees of Java objects, merged by class name.

INCLUDE PERFETTO MODULE graphs.scan;

-- Hash of the name of each class. Classes of the same name, such as those of several class loaders,
-- have the same hash.
CREATE PERFETTO TABLE _heap_graph_class_name_hash AS
SELECT id, hash(coalesce(deobfuscated_name, name, '')) AS name_hash
FROM heap_graph_class
ORDER BY id;

-- Returns the path of each object of a tree, as hashes of the class names from the root: `id`,
-- `path_hash` and `parent_path_hash`, which is 0 for the path of a root. An object has the path of
-- its parent if both are of the same class.
CREATE PERFETTO MACRO _heap_graph_type_path_hash(
  -- Objects with `id` and `parent_id`, NULL for a root.
  tab TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __node AS (
      SELECT
        __tree.id, __tree.parent_id, __class.name_hash,
        coalesce(__object.heap_type, '') AS heap_type,
        CASE
          WHEN __tree.parent_id IS NULL THEN hash(
            __object.upid,
            __object.graph_sample_ts,
            __class.name_hash,
            coalesce(__object.root_type, ''),
            coalesce(__object.heap_type, '')
          )
        END AS root_hash
      FROM $tab AS __tree
      JOIN heap_graph_object AS __object ON __object.id = __tree.id
      JOIN _heap_graph_class_name_hash AS __class ON __class.id = __object.type_id
    )
  SELECT id, path_hash, parent_path_hash
  FROM _graph_aggregating_scan!(
    (
      SELECT parent_id AS source_node_id, id AS dest_node_id
      FROM __node
      WHERE parent_id IS NOT NULL
    ),
    (
      SELECT
        id, name_hash, heap_type, root_hash AS path_hash,
        CASE WHEN parent_id IS NULL THEN 0 END AS parent_path_hash
      FROM __node
    ),
    (name_hash, heap_type, path_hash, parent_path_hash),
    -- A node has two rows: its own without a path, and one with the values of its parent.
    (
      SELECT
        own.id, own.name_hash, own.heap_type,
        CASE
          WHEN own.name_hash = parent.name_hash THEN parent.path_hash
          ELSE hash(parent.path_hash, own.name_hash, own.heap_type)
        END AS path_hash,
        CASE
          WHEN own.name_hash = parent.name_hash THEN parent.parent_path_hash
          ELSE parent.path_hash
        END AS parent_path_hash
      FROM $table AS own
      JOIN $table AS parent ON parent.id = own.id
      WHERE own.path_hash IS NULL AND parent.path_hash IS NOT NULL
    )
  )
);

-- Merges the objects with the same path, and adds a node below each path for its native memory:
-- `graph_sample_ts`, `upid`, `path_hash`, `parent_path_hash`, `name`, `root_type`, `heap_type`,
-- `self_count` and `self_size`.
CREATE PERFETTO MACRO _heap_graph_path_hash_aggregate(
  -- Objects with `id`, `path_hash` and `parent_path_hash`.
  tab TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __path AS (
      SELECT
        __object.graph_sample_ts,
        __object.upid,
        __hashed.path_hash,
        __hashed.parent_path_hash,
        min(coalesce(__class.deobfuscated_name, __class.name, '')) AS name,
        max(__object.root_type) AS root_type,
        min(__object.heap_type) AS heap_type,
        count(*) AS self_count,
        -- The size of an object without data in the dump is -1.
        sum(CASE WHEN __object.self_size = -1 THEN 0 ELSE __object.self_size END) AS self_size,
        count(*) FILTER (WHERE __object.native_size > 0) AS native_count,
        sum(__object.native_size) AS native_size
      FROM $tab AS __hashed
      JOIN heap_graph_object AS __object ON __object.id = __hashed.id
      JOIN heap_graph_class AS __class ON __class.id = __object.type_id
      GROUP BY
        __object.graph_sample_ts, __object.upid, __hashed.path_hash, __hashed.parent_path_hash
    )
  SELECT
    graph_sample_ts, upid, path_hash, parent_path_hash, name, root_type, heap_type, self_count,
    self_size
  FROM __path
  UNION ALL
  SELECT
    graph_sample_ts, upid,
    hash(path_hash, 'native', '') AS path_hash,
    path_hash AS parent_path_hash,
    '[native] ' || name AS name,
    root_type,
    'HEAP_TYPE_NATIVE' AS heap_type,
    native_count AS self_count,
    native_size AS self_size
  FROM __path
  WHERE native_size > 0
);

-- Numbers the paths of a table and connects them to their parents: `graph_sample_ts`, `upid`, `id`,
-- `parent_id` (NULL for a root), `name`, `root_type`, `heap_type`, `self_count`, `self_size` and
-- `path_hash_stable`.
CREATE PERFETTO MACRO _heap_graph_path_hashes_to_class_tree(
  -- Paths, as `_heap_graph_path_hash_aggregate` returns them.
  tab TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  WITH
    __numbered AS (
      SELECT *, row_number() OVER (ORDER BY path_hash) - 1 AS id
      FROM $tab
    )
  SELECT
    __child.graph_sample_ts, __child.upid, __child.id, __parent.id AS parent_id, __child.name,
    __child.root_type, __child.heap_type, __child.self_count, __child.self_size,
    __child.path_hash AS path_hash_stable
  FROM __numbered AS __child
  LEFT JOIN __numbered AS __parent ON __parent.path_hash = __child.parent_path_hash
);
