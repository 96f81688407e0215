-- Slices that are connected by flows.

INCLUDE PERFETTO MODULE graphs.search;

-- Returns the slices that are reachable over flows from each start slice with an outgoing flow:
-- `root_node_id`, `node_id` and `parent_node_id`, the slice from which it was reached.
CREATE PERFETTO MACRO _slice_following_flow(
  -- Start slices, with `id`.
  source_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT root_node_id, node_id, parent_node_id
  FROM graph_reachable_weight_bounded_dfs!(
    (SELECT slice_out AS source_node_id, slice_in AS dest_node_id, 0 AS edge_weight FROM flow),
    (
      SELECT f.slice_out AS root_node_id, 1 AS root_target_weight
      FROM flow AS f
      JOIN (SELECT id FROM $source_table) AS s ON s.id = f.slice_out
    ),
    1
  )
);
