-- The pictures of the screen that the trace holds.

-- A picture: an instant that has it as an argument.
CREATE PERFETTO TABLE android_screenshots(
  -- The slice.
  id LONG,
  -- When it was taken.
  ts TIMESTAMP,
  -- 0.
  dur LONG,
  -- `Screenshot`.
  name STRING
) AS
SELECT slice.id, slice.ts, slice.dur, slice.name
FROM slice
JOIN args AS picture
  ON picture.arg_set_id = slice.arg_set_id AND picture.key = 'screenshot.jpg_image'
WHERE slice.category = 'android_screenshot' AND slice.name = 'Screenshot'
ORDER BY slice.ts;
