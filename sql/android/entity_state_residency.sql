-- Time that parts of the device spent in power states.

-- A measurement of the time that an entity, such as a radio, has spent in one of its power states
-- since boot.
CREATE PERFETTO TABLE android_entity_state_residency(
  -- Counter value; join with `counter` on `id`.
  id ID(counter.id),
  -- Time of the measurement, ns in trace time.
  ts TIMESTAMP,
  -- Time until the next measurement, ns; NULL for the last one.
  dur DURATION,
  -- Name of the entity.
  entity_name STRING,
  -- Name of the state.
  state_name STRING,
  -- Name of the counter track.
  raw_name STRING,
  -- Time in the state since boot, ns.
  state_time_since_boot DURATION,
  -- Time in the state since boot at the next measurement, ns; NULL for the last one.
  state_time_since_boot_at_end DURATION,
  -- Fraction of `dur` that the entity spent in the state: 1 is all the time.
  state_time_ratio DOUBLE,
  -- Counter track of the entity and state; join with `counter_track` on `id`.
  track_id JOINID(track.id)
) AS
WITH named_tracks AS (
  SELECT
    track.id,
    track.name,
    max(CASE WHEN dimension.key = 'entity_name' THEN dimension.string_value END) AS entity_name,
    max(CASE WHEN dimension.key = 'state_name' THEN dimension.string_value END) AS state_name
  FROM counter_track AS track
  LEFT JOIN args AS dimension ON dimension.arg_set_id = track.dimension_arg_set_id
  WHERE track.type = 'entity_state'
  GROUP BY track.id, track.name
),
measured AS (
  SELECT
    counter.*,
    CAST(counter.value * 1000000 AS BIGINT) AS in_state,
    lead(counter.ts) OVER of_track AS next_ts,
    CAST(lead(counter.value) OVER of_track * 1000000 AS BIGINT) AS next_in_state
  FROM counter
  JOIN named_tracks ON named_tracks.id = counter.track_id
  WINDOW of_track AS (PARTITION BY counter.track_id ORDER BY counter.ts)
)
SELECT
  measured.id,
  measured.ts,
  measured.next_ts - measured.ts AS dur,
  track.entity_name,
  track.state_name,
  track.name AS raw_name,
  measured.in_state AS state_time_since_boot,
  measured.next_in_state AS state_time_since_boot_at_end,
  CAST(measured.next_in_state - measured.in_state AS DOUBLE) / (measured.next_ts - measured.ts)
    AS state_time_ratio,
  measured.track_id
FROM measured
JOIN named_tracks AS track ON track.id = measured.track_id
ORDER BY measured.ts, measured.id;
