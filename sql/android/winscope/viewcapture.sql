-- Snapshots of the views of apps, recorded for Winscope.

-- A snapshot of the views of a window.
CREATE PERFETTO VIEW android_viewcapture(
  -- Unique id of the snapshot.
  id LONG,
  -- Time of the snapshot, ns in trace time.
  ts TIMESTAMP,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Name of the package.
  package_name STRING,
  -- Title of the window.
  window_name STRING
) AS
SELECT id, ts, arg_set_id, package_name, window_name FROM __intrinsic_viewcapture;

-- A view in a snapshot.
CREATE PERFETTO VIEW android_viewcapture_view(
  -- Unique id of the row.
  id LONG,
  -- Snapshot; join with `android_viewcapture` on `id`.
  snapshot_id LONG,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Number of the view in the snapshot.
  node_id LONG,
  -- Hash code of the Java object of the view.
  hashcode LONG,
  -- Whether the view is visible.
  is_visible LONG,
  -- `node_id` of the view that contains it.
  parent_id LONG,
  -- Name of the view in the layout of the app.
  view_id STRING,
  -- Name of the class.
  class_name STRING,
  -- Area of the view; join with `android_winscope_trace_rect` on `id`.
  trace_rect_id LONG
) AS
SELECT
  id, snapshot_id, arg_set_id, node_id, hashcode, is_visible, parent_id, view_id, class_name,
  trace_rect_id
FROM __intrinsic_viewcapture_view;
