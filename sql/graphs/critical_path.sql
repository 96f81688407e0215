-- Critical paths: the chains of tasks that a task waits for.

INCLUDE PERFETTO MODULE graphs.search;

-- Returns the path from each root along the edges, until it is further back than the capacity of
-- the root: `root_id`, `parent_id` (the previous node) and `id`.
CREATE PERFETTO MACRO _critical_path(
  -- Edges with `source_node_id`, `dest_node_id` (NULL or equal to the source where the path ends)
  -- and `edge_weight`, the distance that the edge leads back. A node has at most one edge.
  graph_table TableOrSubquery,
  -- Roots with `root_node_id` and `capacity`.
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

-- Returns the time for which each node of a path blocked its root: from the start of the node to
-- the start of the next node, clipped to the idle time of the root. Output: `root_id`, `id`, `ts`
-- and `dur`.
CREATE PERFETTO MACRO _critical_path_to_intervals(
  -- Paths with `root_id` and `id`.
  critical_path_table TableOrSubquery,
  -- Nodes with `id`, `ts` and `idle_dur`, the idle time before the node.
  node_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT root_id, id, __from AS ts, __to - __from AS dur
  FROM (
    SELECT
      root_id, id,
      max(ts, __root_ts - __idle) AS __from,
      min(__next, __root_ts) AS __to,
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

-- Returns the intervals that blocked each root, followed by the interval of the root itself:
-- `root_id`, `id`, `ts` and `dur`.
CREATE PERFETTO MACRO _critical_path_intervals(
  -- Edges with `source_node_id`, `dest_node_id` and `edge_weight`.
  graph_table TableOrSubquery,
  -- Roots with `root_node_id` and `capacity`.
  root_table TableOrSubquery,
  -- Nodes with `id`, `ts`, `dur` and `idle_dur`, the idle time before the node.
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
