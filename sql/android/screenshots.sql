-- Screenshots in the trace.

-- A screenshot: an instant slice with the image as an argument.
CREATE PERFETTO TABLE android_screenshots(
  -- Slice; join with `slice` on `id`.
  id LONG,
  -- Time of the screenshot, ns in trace time.
  ts TIMESTAMP,
  -- Always 0.
  dur LONG,
  -- Always `Screenshot`.
  name STRING
) AS
SELECT slice.id, slice.ts, slice.dur, slice.name
FROM slice
JOIN args AS picture
  ON picture.arg_set_id = slice.arg_set_id AND picture.key = 'screenshot.jpg_image'
WHERE slice.category = 'android_screenshot' AND slice.name = 'Screenshot'
ORDER BY slice.ts;
