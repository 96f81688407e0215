-- Summary of counter tracks.

-- Counter tracks with values. `is_legacy_global` is 1 for a track that belongs to no process,
-- thread, CPU or GPU.
CREATE PERFETTO TABLE _counter_track_summary AS
SELECT
  t.id,
  CASE WHEN count(a.key) = 0 THEN 1 ELSE 0 END AS is_legacy_global
FROM counter_track AS t
JOIN (SELECT DISTINCT track_id FROM counter) AS used ON used.track_id = t.id
LEFT JOIN args AS a
  ON a.arg_set_id = t.dimension_arg_set_id AND a.key IN ('upid', 'utid', 'cpu', 'gpu')
GROUP BY t.id;
