-- Call stacks that a program attached to its track events.

-- A track with at least one event that has a call stack.
CREATE PERFETTO TABLE _track_event_tracks_with_callstacks(
  -- Track; join with `track` on `id`.
  track_id JOINID(track.id)
) AS
SELECT track_id
FROM __intrinsic_track_event_callstacks
GROUP BY track_id
ORDER BY track_id;
