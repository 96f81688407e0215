-- Snapshots of the window manager, recorded for Winscope.

-- A snapshot of the window manager.
CREATE PERFETTO VIEW android_windowmanager(
  -- Unique id of the snapshot.
  id LONG,
  -- Time of the snapshot, ns in trace time.
  ts TIMESTAMP,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Number of the recorded message; equal messages have equal numbers.
  base64_proto_id LONG,
  -- Id of the display with the focus.
  focused_display_id LONG,
  -- Whether the snapshot was recorded without a time since boot.
  has_invalid_elapsed_ts BOOL
) AS
SELECT id, ts, arg_set_id, base64_proto_id, focused_display_id, has_invalid_elapsed_ts
FROM __intrinsic_windowmanager;

-- A container of windows in a snapshot. The containers form a tree.
CREATE PERFETTO VIEW android_windowmanager_windowcontainer(
  -- Unique id of the row.
  id LONG,
  -- Snapshot; join with `android_windowmanager` on `id`.
  snapshot_id LONG,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Number of the recorded message; equal messages have equal numbers.
  base64_proto_id LONG,
  -- Title of the container.
  title STRING,
  -- Token of the container, unique in the snapshot.
  token LONG,
  -- Token of the parent container.
  parent_token LONG,
  -- Position among the children of the parent, from 0.
  child_index LONG,
  -- Whether the container is visible.
  is_visible BOOL,
  -- Area of the container; join with `android_winscope_trace_rect` on `id`.
  window_rect_id LONG,
  -- Kind of container, such as `DisplayContent`.
  container_type STRING,
  -- Name to show instead of the title; NULL for most kinds.
  name_override STRING
) AS
SELECT
  id, snapshot_id, arg_set_id, base64_proto_id, title, token, parent_token, child_index, is_visible,
  window_rect_id, container_type, name_override
FROM __intrinsic_windowmanager_windowcontainer;
