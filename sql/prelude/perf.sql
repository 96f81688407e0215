-- A counter track of the perf profiler, read at each sample. The values are in `counter`.
CREATE PERFETTO VIEW perf_counter_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the counter.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- Description of the track.
  description STRING,
  -- Number of the profiling session.
  perf_session_id LONG,
  -- CPU of the track, numbered per machine.
  cpu LONG,
  -- Whether this counter triggers the samples (the timebase).
  is_timebase BOOL
) AS
SELECT
  track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.machine_id,
  track.unit, track.description, session.int_value AS perf_session_id, track.cpu,
  timebase.int_value AS is_timebase
FROM __stored_track AS track
JOIN args AS session
  ON track.dimension_arg_set_id = session.arg_set_id AND session.key = 'perf_session_id'
JOIN args AS timebase
  ON track.source_arg_set_id = timebase.arg_set_id AND timebase.key = 'is_timebase'
WHERE track.is_counter = 1;
