-- Rectangles on the screen, computed for Winscope.

-- A rectangle.
CREATE PERFETTO VIEW android_winscope_rect(
  -- Unique id of the rectangle.
  id LONG,
  -- Left edge in pixels.
  x DOUBLE,
  -- Top edge in pixels.
  y DOUBLE,
  -- Width in pixels.
  w DOUBLE,
  -- Height in pixels.
  h DOUBLE
) AS
SELECT id, x, y, w, h FROM __intrinsic_winscope_rect;

-- A transformation of the plane, as a matrix: x' = dsdx x + dtdx y + tx, y' = dtdy x + dsdy y + ty.
CREATE PERFETTO VIEW android_winscope_transform(
  -- Unique id of the transformation.
  id LONG,
  -- Factor of x in the new x.
  dsdx DOUBLE,
  -- Factor of y in the new x.
  dtdx DOUBLE,
  -- Offset of the new x, in pixels.
  tx DOUBLE,
  -- Factor of x in the new y.
  dtdy DOUBLE,
  -- Factor of y in the new y.
  dsdy DOUBLE,
  -- Offset of the new y, in pixels.
  ty DOUBLE
) AS
SELECT id, dsdx, dtdx, tx, dtdy, dsdy, ty FROM __intrinsic_winscope_transform;

-- A rectangle as it is drawn in a view of the screen.
CREATE PERFETTO VIEW android_winscope_trace_rect(
  -- Unique id of the drawn rectangle.
  id LONG,
  -- Rectangle; join with `android_winscope_rect` on `id`.
  rect_id LONG,
  -- Group of rectangles that are drawn together, such as those of a display.
  group_id LONG,
  -- Position in the drawing order.
  depth LONG,
  -- Whether it belongs to a window that also receives the input of windows below it (spy window).
  is_spy LONG,
  -- Whether it is visible.
  is_visible LONG,
  -- Opacity from 0 to 1; NULL if unknown.
  opacity DOUBLE,
  -- Transformation; join with `android_winscope_transform` on `id`.
  transform_id LONG,
  -- Width of the border in pixels; NULL without one.
  border_width DOUBLE,
  -- Color of the border; NULL without one.
  border_color LONG
) AS
SELECT
  id, rect_id, group_id, depth, is_spy, is_visible, opacity, transform_id, border_width,
  border_color
FROM __intrinsic_winscope_trace_rect;
