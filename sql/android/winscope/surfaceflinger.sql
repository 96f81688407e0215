-- Transactions and displays of SurfaceFlinger, the compositor of Android, recorded for Winscope.

-- A change that a transaction makes to a layer or a display.
CREATE PERFETTO VIEW android_surfaceflinger_transaction(
  -- Unique id of the change.
  id LONG,
  -- Set of transactions that were applied together; join with `surfaceflinger_transactions` on
  -- `id`.
  snapshot_id LONG,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id LONG,
  -- Id of the transaction, given by its sender.
  transaction_id LONG,
  -- Pid of the sender.
  pid LONG,
  -- User id of the sender.
  uid LONG,
  -- Id of the changed layer; NULL for a display.
  layer_id LONG,
  -- Id of the changed display; NULL for a layer.
  display_id LONG,
  -- Set of flags; join with `android_surfaceflinger_transaction_flag` on `flags_id`.
  flags_id LONG,
  -- Kind of change, such as `LAYER_CHANGED`.
  transaction_type STRING
) AS
SELECT
  id, snapshot_id, arg_set_id, transaction_id, pid, uid, layer_id, display_id, flags_id,
  transaction_type
FROM __intrinsic_surfaceflinger_transaction;

-- A flag in a set of flags of changes.
CREATE PERFETTO VIEW android_surfaceflinger_transaction_flag(
  -- Set of flags.
  flags_id LONG,
  -- Name of the flag.
  flag STRING
) AS
SELECT flags_id, flag FROM __intrinsic_surfaceflinger_transaction_flag;

-- A display in a snapshot of all layers.
CREATE PERFETTO VIEW android_surfaceflinger_display(
  -- Unique id of the row.
  id LONG,
  -- Snapshot; join with `surfaceflinger_layers_snapshot` on `id`.
  snapshot_id LONG,
  -- Whether the display is on.
  is_on LONG,
  -- Whether the display is virtual.
  is_virtual LONG,
  -- Area of the display; join with `android_winscope_trace_rect` on `id`.
  trace_rect_id LONG,
  -- Id of the display.
  display_id LONG,
  -- Name of the display.
  display_name STRING
) AS
SELECT id, snapshot_id, is_on, is_virtual, trace_rect_id, display_id, display_name
FROM __intrinsic_surfaceflinger_display;

-- A rectangle of the region in which a layer receives input.
CREATE PERFETTO VIEW android_winscope_fill_region(
  -- Unique id of the row.
  id LONG,
  -- Drawn rectangle of the input region; join with `android_winscope_trace_rect` on `id`.
  trace_rect_id LONG,
  -- Rectangle of the region; join with `android_winscope_rect` on `id`.
  rect_id LONG
) AS
SELECT id, trace_rect_id, rect_id FROM __intrinsic_winscope_fill_region;
