-- Counters of the whole system.

-- Tests whether a counter track has no dimension other than its name.
CREATE PERFETTO FUNCTION _counter_track_is_only_name_dimension(
  -- Id of the track.
  track_id LONG
)
-- 1 or 0.
RETURNS BOOL AS
SELECT count(*) = 0
FROM counter_track AS t
JOIN args AS a ON a.arg_set_id = t.dimension_arg_set_id
WHERE t.id = $track_id AND a.key != 'name';
