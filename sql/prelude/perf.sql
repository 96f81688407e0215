-- A counter that the perf profiler read when it took samples.
CREATE PERFETTO VIEW perf_counter_track(
  -- The track's id.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- What kind of track it is, which also says what its dimensions are.
  type STRING,
  -- The track it is shown under.
  parent_id JOINID(track.id),
  -- What the trace says of where the track came from.
  source_arg_set_id ARGSETID,
  -- The machine it belongs to.
  machine_id JOINID(machine.id),
  -- What its values count in.
  unit STRING,
  -- What it is for.
  description STRING,
  -- The session of the profiler.
  perf_session_id LONG,
  -- The CPU it belongs to, as its machine numbers it.
  cpu LONG,
  -- Whether samples are taken by it.
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
