-- Timelines of slices, thread states and counters as SVG documents.

-- Returns a text with the special characters of XML replaced.
CREATE PERFETTO FUNCTION _svg_escaped(
  -- Text; NULL counts as empty.
  text STRING
)
-- Text for the content or an attribute of an element.
RETURNS STRING AS
SELECT
  replace(
    replace(replace(replace(coalesce($text, ''), '&', '&amp;'), '<', '&lt;'), '>', '&gt;'),
    '"', '&quot;'
  );

-- Returns a duration with its unit, such as `1.5ms`.
CREATE PERFETTO FUNCTION _svg_duration(
  -- Duration, ns.
  dur LONG
)
-- Duration with one decimal in the largest unit of which it has at least one.
RETURNS STRING AS
SELECT CASE
  WHEN $dur < 1000 THEN printf('%dns', $dur)
  WHEN $dur < 1000000 THEN printf('%.1fµs', $dur / 1e3)
  WHEN $dur < 1000000000 THEN printf('%.1fms', $dur / 1e6)
  ELSE printf('%.1fs', $dur / 1e9)
END;

-- Returns a number with two decimals and the suffix of its magnitude, such as `1.50M`.
CREATE PERFETTO FUNCTION _svg_number(
  -- Number.
  value DOUBLE
)
-- Number with the suffix K, M, G or T if it has at least four digits.
RETURNS STRING AS
SELECT CASE
  WHEN abs($value) < 1e3 THEN printf('%.2f', $value)
  WHEN abs($value) < 1e6 THEN printf('%.2fK', $value / 1e3)
  WHEN abs($value) < 1e9 THEN printf('%.2fM', $value / 1e6)
  WHEN abs($value) < 1e12 THEN printf('%.2fG', $value / 1e9)
  ELSE printf('%.2fT', $value / 1e12)
END;

-- Returns the part of a text that fits into a width, at 6.5 pixels for a character.
CREATE PERFETTO FUNCTION _svg_fitting(
  -- Text.
  text STRING,
  -- Width, pixels.
  width DOUBLE
)
-- Text, or its first characters and an ellipsis; empty if fewer than two characters fit.
RETURNS STRING AS
SELECT CASE
  WHEN length($text) * 6.5 <= $width THEN $text
  WHEN $width < 13 THEN ''
  ELSE substr($text, 1, CAST($width / 6.5 AS INT) - 1) || '…'
END;

-- Returns the color of a thread state.
CREATE PERFETTO FUNCTION _svg_state_color(
  -- Scheduling state, as in `thread_state.state`.
  state STRING,
  -- Whether the thread waits for I/O.
  io_wait LONG
)
-- Color.
RETURNS STRING AS
SELECT CASE
  WHEN $state = 'Running' THEN '#388e3c'
  WHEN $state IN ('R', 'R+') THEN '#9ccc65'
  WHEN $io_wait = 1 THEN '#fb8c00'
  WHEN $state = 'S' THEN '#bdbdbd'
  WHEN $state = 'D' THEN '#c62828'
  ELSE '#90a4ae'
END;

-- Returns a rectangle with a tooltip, and with a text in it if the rectangle is wide enough.
CREATE PERFETTO FUNCTION _svg_rectangle(
  -- Left edge, pixels.
  x DOUBLE,
  -- Upper edge, pixels.
  y LONG,
  -- Width, pixels.
  width DOUBLE,
  -- Height, pixels.
  height LONG,
  -- Color.
  color STRING,
  -- Tooltip.
  title STRING,
  -- Text in the rectangle; NULL for none.
  label STRING,
  -- Address to open on a click; NULL for none.
  href STRING
)
-- Element.
RETURNS STRING AS
SELECT
  coalesce('<a href="' || nullif(_svg_escaped($href), '') || '" target="_blank">', '')
  || printf(
    '<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"><title>%s</title></rect>',
    $x, $y, $width, $height, $color, _svg_escaped($title)
  )
  || CASE
    WHEN $label IS NULL OR $width < 17 THEN ''
    ELSE printf(
      '<text x="%.2f" y="%.1f" text-anchor="middle" font-size="11">%s</text>',
      $x + $width / 2, $y + $height / 2.0, _svg_escaped(_svg_fitting($label, $width - 4))
    )
  END
  || CASE WHEN nullif($href, '') IS NULL THEN '' ELSE '</a>' END;

-- Places elements: adds `x` and `width` in pixels, and for counters the ends of the scale, `low`
-- and `high`. All elements of a document share one time axis. Slices and states that are narrower
-- than two pixels are left out.
CREATE PERFETTO MACRO _svg_placed(
  -- Elements with `svg_group_key`, `track_group_key`, `kind` and their own columns.
  elements TableOrSubquery,
  -- Width of the time axis, pixels.
  max_width Expr,
  -- 1 if all counters of a document share one scale, 0 if each has its own.
  use_shared_counter_scale Expr
)
RETURNS TableOrSubquery AS
(
  WITH
    __ranged AS (
      SELECT
        *,
        min(ts) OVER (PARTITION BY svg_group_key) AS from_ts,
        max(ts + dur) OVER (PARTITION BY svg_group_key) AS to_ts,
        min(value) OVER (
          PARTITION BY
            svg_group_key,
            CASE WHEN $use_shared_counter_scale = 1 THEN '' ELSE track_group_key || '/' || name END
        ) AS low,
        max(value) OVER (
          PARTITION BY
            svg_group_key,
            CASE WHEN $use_shared_counter_scale = 1 THEN '' ELSE track_group_key || '/' || name END
        ) AS high
      FROM $elements
      WHERE dur > 0
    ),
    __scaled AS (
      SELECT
        *,
        (ts - from_ts) * 1.0 * $max_width / (to_ts - from_ts) AS x,
        dur * 1.0 * $max_width / (to_ts - from_ts) AS width
      FROM __ranged
    )
  SELECT * FROM __scaled WHERE kind = 'counter' OR width >= 2
);

-- Draws the slices of each group as a track: `svg_group_key`, `track_group_key`, `track_order`,
-- `track_svg` and `track_height`.
CREATE PERFETTO MACRO _svg_slice_tracks(
  -- Elements of `_svg_placed!`.
  placed TableOrSubquery,
  -- Height of a row, pixels.
  row_height Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    svg_group_key, track_group_key, min(track_group_order) AS track_order,
    group_concat(
      _svg_rectangle(
        x, 5 + coalesce(depth, 0) * $row_height, width, $row_height,
        printf('hsl(%d,45%%,78%%)', abs(hash(name) % 360)),
        name || ' (' || _svg_duration(dur) || ')', name, href
      ),
      '' ORDER BY ts, depth, dur DESC
    ) AS track_svg,
    5 + (max(coalesce(depth, 0)) + 1) * $row_height AS track_height
  FROM $placed
  WHERE kind = 'slice'
  GROUP BY svg_group_key, track_group_key
);

-- Draws the thread states of each group as a track with the group as label: `svg_group_key`,
-- `track_group_key`, `track_order`, `track_svg` and `track_height`.
CREATE PERFETTO MACRO _svg_state_tracks(
  -- Elements of `_svg_placed!`.
  placed TableOrSubquery,
  -- Height of a row, pixels.
  row_height Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    svg_group_key, track_group_key, min(track_group_order) AS track_order,
    '<text x="5" y="15" font-size="11">' || _svg_escaped(track_group_key) || '</text>'
    || group_concat(
      _svg_rectangle(
        x, 22, width, $row_height / 2, _svg_state_color(state, io_wait),
        state || ' (' || _svg_duration(dur) || ')'
        || coalesce(', blocked in ' || blocked_function, ''),
        NULL, href
      ),
      '' ORDER BY ts
    ) AS track_svg,
    22 + $row_height / 2 AS track_height
  FROM $placed
  WHERE kind = 'state'
  GROUP BY svg_group_key, track_group_key
);

-- Draws the counters of each group as a track with the group and the ends of the scale as labels:
-- `svg_group_key`, `track_group_key`, `track_order`, `track_svg` and `track_height`. A counter is
-- an area between its values and 0, or the end of the scale next to 0.
CREATE PERFETTO MACRO _svg_counter_tracks(
  -- Elements of `_svg_placed!`.
  placed TableOrSubquery,
  -- Height of the area, pixels.
  height Expr
)
RETURNS TableOrSubquery AS
(
  WITH
    __point AS (
      SELECT
        svg_group_key, track_group_key, track_group_order, name, ts, low, high,
        x, x + width AS x_end,
        25 + $height * coalesce((high - value) / nullif(high - low, 0), 0) AS y,
        25 + $height * coalesce((high - min(max(low, 0), high)) / nullif(high - low, 0), 1) AS base
      FROM $placed
      WHERE kind = 'counter'
    ),
    __area AS (
      SELECT
        svg_group_key, track_group_key, name,
        min(track_group_order) AS track_order,
        min(low) AS low,
        max(high) AS high,
        printf('<path d="M%.2f,%.2f ', min(x), min(base))
        || group_concat(
          printf('L%.2f,%.2f L%.2f,%.2f', x, y, x_end, y), ' ' ORDER BY ts
        )
        || printf(' L%.2f,%.2f Z" fill="steelblue" fill-opacity="0.7">', max(x_end), min(base))
        || '<title>' || _svg_escaped(name) || '</title></path>' AS area
      FROM __point
      GROUP BY svg_group_key, track_group_key, name
    )
  SELECT
    svg_group_key, track_group_key, min(track_order) AS track_order,
    '<text x="5" y="15" font-size="11">' || _svg_escaped(track_group_key) || '</text>'
    || group_concat(area, '' ORDER BY name)
    || '<text x="5" y="30" font-size="9">' || _svg_number(max(high)) || '</text>'
    || printf('<text x="5" y="%d" font-size="9">', 20 + $height) || _svg_number(min(low))
    || '</text>' AS track_svg,
    25 + $height AS track_height
  FROM __area
  GROUP BY svg_group_key, track_group_key
);

-- Puts the tracks of each document below each other: `svg_group_key` and `svg`, the document.
CREATE PERFETTO MACRO _svg_documents(
  -- Tracks with `svg_group_key`, `track_group_key`, `track_order`, `place` (order of the kinds),
  -- `track_svg` and `track_height`.
  tracks TableOrSubquery,
  -- Width of the time axis, pixels.
  max_width Expr,
  -- Width of the margin on the left, pixels.
  left_margin Expr
)
RETURNS TableOrSubquery AS
(
  WITH __stacked AS (
    SELECT
      svg_group_key, track_svg,
      sum(track_height) OVER (
        PARTITION BY svg_group_key ORDER BY track_order, track_group_key, place
      ) AS bottom,
      track_height
    FROM $tracks
  )
  SELECT
    svg_group_key,
    printf(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">',
      $max_width + $left_margin + 10, max(bottom) + 25
    )
    || '<style>text { font-family: sans-serif; fill: #333; pointer-events: none; '
    || 'dominant-baseline: central; }</style>'
    || printf('<g transform="translate(%d,5)">', $left_margin)
    || group_concat(
      printf('<g transform="translate(0,%d)">', bottom - track_height) || track_svg || '</g>',
      '' ORDER BY bottom
    )
    || '</g></svg>' AS svg
  FROM __stacked
  GROUP BY svg_group_key
  ORDER BY svg_group_key
);

-- Draws slices, thread states and counters on a time axis. Returns one SVG document for each value
-- of the first key: `svg_group_key` and `svg`. A document has tracks for each value of the second
-- key, in the order of the third column: the slices, the states and the counters.
CREATE PERFETTO MACRO _svg_timeline_with_counters(
  -- Slices with `ts`, `dur`, `name`, `depth`, `href` (address to open on a click, or NULL) and the
  -- key columns.
  slice_table TableOrSubquery,
  -- Thread states with `ts`, `dur`, `state`, `io_wait`, `blocked_function`, `href` and the key
  -- columns.
  thread_state_table TableOrSubquery,
  -- Counter values with `ts`, `dur`, `name`, `value` and the key columns.
  counter_table TableOrSubquery,
  -- Column with a value for each document.
  svg_group_key_col ColumnName,
  -- Column with a value for each group of tracks, which is also the label.
  track_group_key_col ColumnName,
  -- Column with the position of the group in the document.
  track_group_order_col ColumnName,
  -- Width of the time axis, pixels.
  max_width Expr,
  -- Width of the margin on the left, pixels.
  left_margin Expr,
  -- 1 if all counters of a document share one scale, 0 if each has its own.
  use_shared_counter_scale Expr
)
RETURNS TableOrSubquery AS
(
  WITH
    __element AS (
      SELECT
        $svg_group_key_col AS svg_group_key,
        CAST($track_group_key_col AS TEXT) AS track_group_key,
        $track_group_order_col AS track_group_order,
        'slice' AS kind, ts, dur, name, href, depth,
        CAST(NULL AS TEXT) AS state,
        CAST(NULL AS INT) AS io_wait,
        CAST(NULL AS TEXT) AS blocked_function,
        CAST(NULL AS DOUBLE) AS value
      FROM $slice_table
      UNION ALL
      SELECT
        $svg_group_key_col, CAST($track_group_key_col AS TEXT), $track_group_order_col,
        'state', ts, dur, NULL, href, NULL, state, io_wait, blocked_function, NULL
      FROM $thread_state_table
      UNION ALL
      SELECT
        $svg_group_key_col, CAST($track_group_key_col AS TEXT), $track_group_order_col,
        'counter', ts, dur, name, NULL, NULL, NULL, NULL, NULL, CAST(value AS DOUBLE)
      FROM $counter_table
    ),
    __placed AS (
      SELECT * FROM _svg_placed!(__element, $max_width, $use_shared_counter_scale)
    ),
    __size AS (
      SELECT max(2, CAST($max_width * 0.008 AS INT)) AS row_height
    ),
    __track AS (
      SELECT *, 0 AS place
      FROM _svg_slice_tracks!(__placed, (SELECT row_height FROM __size))
      UNION ALL
      SELECT *, 1
      FROM _svg_state_tracks!(__placed, (SELECT row_height FROM __size))
      UNION ALL
      SELECT *, 2
      FROM _svg_counter_tracks!(__placed, (SELECT row_height * 3 / 2 FROM __size))
    )
  SELECT svg_group_key, svg FROM _svg_documents!(__track, $max_width, $left_margin)
);

-- Draws slices and thread states on a time axis. The output is that of
-- `_svg_timeline_with_counters!`.
CREATE PERFETTO MACRO _svg_timeline(
  -- Slices with `ts`, `dur`, `name`, `depth`, `href` (address to open on a click, or NULL) and the
  -- key columns.
  slice_table TableOrSubquery,
  -- Thread states with `ts`, `dur`, `state`, `io_wait`, `blocked_function`, `href` and the key
  -- columns.
  thread_state_table TableOrSubquery,
  -- Column with a value for each document.
  svg_group_key_col ColumnName,
  -- Column with a value for each group of tracks, which is also the label.
  track_group_key_col ColumnName,
  -- Column with the position of the group in the document.
  track_group_order_col ColumnName,
  -- Width of the time axis, pixels.
  max_width Expr,
  -- Width of the margin on the left, pixels.
  left_margin Expr
)
RETURNS TableOrSubquery AS
(
  _svg_timeline_with_counters!(
    $slice_table,
    $thread_state_table,
    (
      SELECT
        $svg_group_key_col, $track_group_key_col, $track_group_order_col,
        ts, dur, name, 0.0 AS value
      FROM $slice_table
      WHERE 0
    ),
    $svg_group_key_col,
    $track_group_key_col,
    $track_group_order_col,
    $max_width,
    $left_margin,
    0
  )
);
