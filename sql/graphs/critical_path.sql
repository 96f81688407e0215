-- What tasks waited for, and what those waited for.

INCLUDE PERFETTO MODULE graphs.search;

-- The way from each root along the edges, until it is further back than the root's capacity:
-- `root_id`, `parent_id`, the node before, and `id`.
CREATE PERFETTO MACRO _critical_path(
  -- The edges: `source_node_id`, `dest_node_id`, NULL or the same where the way ends, and
  -- `edge_weight`, how far back it leads. A node has one.
  graph_table TableOrSubquery,
  -- The roots: `root_node_id` and `capacity`.
  root_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT DISTINCT root_node_id AS root_id, parent_node_id AS parent_id, node_id AS id
  FROM graph_reachable_weight_bounded_dfs!(
    (
      SELECT
        source_node_id, coalesce(dest_node_id, source_node_id) AS dest_node_id, edge_weight
      FROM $graph_table
      WHERE source_node_id IS NOT NULL
    ),
    (SELECT root_node_id, capacity AS root_target_weight FROM $root_table),
    1
  )
);

-- How long the nodes of such ways kept their roots waiting: each from where it begins to where the
-- next one does, within the time the root was idle: `root_id`, `id`, `ts` and `dur`.
CREATE PERFETTO MACRO _critical_path_to_intervals(
  -- The ways: `root_id` and `id`.
  critical_path_table TableOrSubquery,
  -- The nodes: `id`, `ts` and `idle_dur`, how long it was idle before.
  node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT root_id, id, __from AS ts, __to - __from AS dur
  FROM (
    SELECT
      root_id, id,
      CASE WHEN ts > __root_ts - __idle THEN ts ELSE __root_ts - __idle END AS __from,
      CASE WHEN __next < __root_ts THEN __next ELSE __root_ts END AS __to,
      __next
    FROM (
      SELECT
        __way.root_id, __way.id, __node.ts,
        lead(__node.ts) OVER (PARTITION BY __way.root_id ORDER BY __way.id) AS __next,
        __root.ts AS __root_ts, __root.idle_dur AS __idle
      FROM $critical_path_table AS __way
      JOIN $node_table AS __node ON __node.id = __way.id
      JOIN $node_table AS __root ON __root.id = __way.root_id
    )
  )
  WHERE __to > __from AND __next IS NOT NULL
);

-- What kept roots waiting, and the roots' own time after that: `root_id`, `id`, `ts` and `dur`.
CREATE PERFETTO MACRO _critical_path_intervals(
  -- The edges: `source_node_id`, `dest_node_id` and `edge_weight`.
  graph_table TableOrSubquery,
  -- The roots: `root_node_id` and `capacity`.
  root_table TableOrSubquery,
  -- The nodes: `id`, `ts`, `dur` and `idle_dur`, how long it was idle before.
  interval_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT root_id, id, ts, dur
  FROM _critical_path_to_intervals!(
    (SELECT root_id, id FROM _critical_path!($graph_table, $root_table)),
    $interval_table
  )
  UNION ALL
  SELECT __node.id AS root_id, __node.id, __node.ts, __node.dur
  FROM $interval_table AS __node
  JOIN $root_table AS __root ON __root.root_node_id = __node.id
);
