-- Slices that follow others by flows.

INCLUDE PERFETTO MODULE graphs.search;

-- For each of the slices that flows go out of, the slices that can be reached over flows:
-- `root_node_id`, `node_id` and `parent_node_id`, the slice it was reached from.
CREATE PERFETTO MACRO _slice_following_flow(
  -- The slices: `id`.
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
