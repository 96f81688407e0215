-- Tracks of track events, in the order in which a timeline shows them.

INCLUDE PERFETTO MODULE viz.track_event_callstacks;

-- A track of track events, with what the program states about its display.
CREATE PERFETTO TABLE _track_event_tracks_unordered(
  -- Track; join with `track` on `id`.
  id JOINID(track.id),
  -- Name of the track.
  name STRING,
  -- Parent track; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Order of the children of the parent track: `lexicographic`, `chronological` or `explicit`;
  -- NULL if not stated.
  parent_ordering STRING,
  -- Position of the track if the order is explicit; 0 if not stated.
  rank LONG,
  -- Description of the track; NULL if not stated.
  description STRING
) AS
WITH described AS (
  SELECT
    id, name, parent_id,
    extract_arg(source_arg_set_id, 'child_ordering') AS child_ordering,
    extract_arg(source_arg_set_id, 'sibling_order_rank') AS sibling_rank,
    extract_arg(source_arg_set_id, 'description') AS description
  FROM track
  WHERE type GLOB '*_track_event'
)
SELECT
  own.id, own.name, own.parent_id, parent.child_ordering AS parent_ordering,
  coalesce(own.sibling_rank, 0) AS rank, own.description
FROM described AS own
LEFT JOIN described AS parent ON parent.id = own.parent_id
ORDER BY own.id;

-- The first timestamp of each track of track events that has data.
CREATE PERFETTO TABLE _min_ts_per_track(
  -- Track; join with `track` on `id`.
  id JOINID(track.id),
  -- Timestamp of the first slice, counter value or state, ns in trace time.
  min_ts TIMESTAMP
) AS
WITH first_of_kind AS (
  SELECT track_id, min(ts) AS ts FROM slice GROUP BY track_id
  UNION ALL
  SELECT track_id, min(ts) FROM counter GROUP BY track_id
  UNION ALL
  SELECT track_id, min(ts) FROM state GROUP BY track_id
)
SELECT f.track_id AS id, min(f.ts) AS min_ts
FROM first_of_kind AS f
WHERE f.track_id IN (SELECT id FROM _track_event_tracks_unordered)
GROUP BY f.track_id
ORDER BY f.track_id;

-- A track with child tracks of track events.
CREATE PERFETTO TABLE _track_event_has_children(
  -- Track; join with `track` on `id`.
  id JOINID(track.id)
) AS
SELECT parent_id AS id
FROM _track_event_tracks_unordered
WHERE parent_id IS NOT NULL
GROUP BY parent_id
ORDER BY parent_id;

-- Position of each track among the children of its parent, from 1.
CREATE PERFETTO TABLE _track_event_sibling_order AS
WITH keyed AS (
  SELECT
    t.id, t.parent_id,
    CASE coalesce(t.parent_ordering, 'lexicographic') WHEN 'lexicographic' THEN t.name END
      AS text_key,
    CASE t.parent_ordering WHEN 'explicit' THEN t.rank WHEN 'chronological' THEN m.min_ts END
      AS number_key
  FROM _track_event_tracks_unordered AS t
  LEFT JOIN _min_ts_per_track AS m ON m.id = t.id
)
SELECT
  id,
  row_number() OVER (PARTITION BY parent_id ORDER BY text_key, number_key, id) AS order_id
FROM keyed;

-- A row of the timeline: a track, or the tracks of a group, with siblings in order.
CREATE PERFETTO TABLE _track_event_tracks_ordered_groups(
  -- Process of the track; NULL for a track of a thread or of none. Join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread of the track; NULL if it has none. Join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Parent track; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Whether the track has counter values.
  is_counter BOOL,
  -- Whether the track has states.
  is_state BOOL,
  -- Name of the track.
  name STRING,
  -- Description of the track; NULL if not stated.
  description STRING,
  -- Unit of the counter; NULL if not stated.
  unit STRING,
  -- Kind of a built-in counter; NULL for other tracks.
  builtin_counter_type STRING,
  -- Key of the counters that share a scale; NULL if not stated.
  y_axis_share_key STRING,
  -- Whether any track of the group has data.
  has_data BOOL,
  -- Whether any track of the group has child tracks.
  has_children BOOL,
  -- Whether any track of the group has call stacks.
  has_callstacks BOOL,
  -- Lowest track id of the group; join with `track` on `id`.
  min_track_id JOINID(track.id),
  -- Ids of all tracks of the group, separated by commas.
  track_ids STRING,
  -- Position among the children of the parent track.
  order_id LONG
) AS
WITH
  member AS (
    SELECT
      t.id, t.track_group_id, o.order_id, u.description, c.unit,
      extract_arg(t.source_arg_set_id, 'builtin_counter_type') AS builtin_counter_type,
      extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS y_axis_share_key,
      m.id IS NOT NULL AS has_data,
      children.id IS NOT NULL AS has_children,
      stacks.track_id IS NOT NULL AS has_callstacks
    FROM _track_event_sibling_order AS o
    JOIN track AS t ON t.id = o.id
    JOIN _track_event_tracks_unordered AS u ON u.id = o.id
    LEFT JOIN counter_track AS c ON c.id = o.id
    LEFT JOIN _min_ts_per_track AS m ON m.id = o.id
    LEFT JOIN _track_event_has_children AS children ON children.id = o.id
    LEFT JOIN _track_event_tracks_with_callstacks AS stacks ON stacks.track_id = o.id
  ),
  combined AS (
    SELECT
      min(description) AS description,
      min(unit) AS unit,
      min(builtin_counter_type) AS builtin_counter_type,
      min(y_axis_share_key) AS y_axis_share_key,
      max(has_data) AS has_data,
      max(has_children) AS has_children,
      max(has_callstacks) AS has_callstacks,
      min(id) AS min_track_id,
      group_concat(id, ',' ORDER BY id) AS track_ids,
      min(order_id) AS order_id
    FROM member
    GROUP BY track_group_id, CASE WHEN track_group_id IS NULL THEN id END
  )
SELECT
  extract_arg(t.dimension_arg_set_id, 'upid') AS upid,
  extract_arg(t.dimension_arg_set_id, 'utid') AS utid,
  t.parent_id,
  t.type GLOB '*counter*' AS is_counter,
  t.type GLOB '*state*' AS is_state,
  t.name,
  g.description, g.unit, g.builtin_counter_type, g.y_axis_share_key,
  g.has_data, g.has_children, g.has_callstacks,
  g.min_track_id, g.track_ids, g.order_id
FROM combined AS g
JOIN track AS t ON t.id = g.min_track_id
ORDER BY t.parent_id, g.order_id, g.min_track_id;
