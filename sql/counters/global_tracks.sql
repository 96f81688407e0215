-- Counters that are of the whole system.

-- Whether nothing but a name tells a counter's track from others of its kind.
CREATE PERFETTO FUNCTION _counter_track_is_only_name_dimension(
  -- The track.
  track_id LONG
)
-- 1 or 0.
RETURNS BOOL AS
SELECT count(*) = 0
FROM counter_track AS t
JOIN args AS a ON a.arg_set_id = t.dimension_arg_set_id
WHERE t.id = $track_id AND a.key != 'name';
