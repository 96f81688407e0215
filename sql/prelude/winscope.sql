-- The layers above a layer in a snapshot of SurfaceFlinger, from the root to the layer itself.
CREATE PERFETTO VIEW __intrinsic_winscope_surfaceflinger_hierarchy_path(
  -- Unique id of the row.
  id ID,
  -- Snapshot; join with `surfaceflinger_layers_snapshot` on `id`.
  snapshot_id LONG,
  -- `layer_id` of the layer.
  layer_id LONG,
  -- `layer_id` of a layer on the path to it.
  ancestor_id LONG
) AS
WITH RECURSIVE path(row_id, snapshot_id, layer_id, ancestor_id, next_id, distance) AS (
  SELECT id, snapshot_id, layer_id, layer_id, parent, 0
  FROM surfaceflinger_layer
  WHERE layer_id IS NOT NULL
  UNION
  SELECT row_id, path.snapshot_id, path.layer_id, above.layer_id, above.parent, distance + 1
  FROM path
  JOIN surfaceflinger_layer AS above
    ON above.snapshot_id = path.snapshot_id AND above.layer_id = path.next_id
  -- Layers of a circle have no end.
  WHERE distance < 256 AND coalesce(above.parent, -1) != above.layer_id
)
SELECT
  row_number() OVER (ORDER BY row_id, distance DESC, ancestor_id) - 1 AS id,
  snapshot_id, layer_id, ancestor_id
FROM path;
