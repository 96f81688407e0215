-- Process counters as intervals.

-- Values of process counters, each valid until the next one. The last value of a track is valid
-- until the process exits or the trace ends.
CREATE PERFETTO VIEW _all_counters_per_process AS
SELECT
  c.ts,
  coalesce(
    lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts), p.end_ts + 1, trace_end() + 1
  ) - c.ts AS dur,
  t.upid,
  c.value,
  c.track_id,
  t.name
FROM counter AS c
JOIN process_counter_track AS t ON t.id = c.track_id
LEFT JOIN process AS p ON p.upid = t.upid
WHERE t.upid IS NOT NULL;
