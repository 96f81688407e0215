-- A line of the timeline: of a thread, a process, a CPU, a counter, or of the trace at large.
CREATE PERFETTO VIEW track(
  -- The track's id.
  id ID,
  -- Its name; NULL where the thread or process names it.
  name STRING,
  -- What kind of track it is, which also says what its dimensions are.
  type STRING,
  -- The args that tell tracks of one kind apart.
  dimension_arg_set_id ARGSETID,
  -- The track it is shown under.
  parent_id JOINID(track.id),
  -- What the trace says of where the track came from.
  source_arg_set_id ARGSETID,
  -- The machine it belongs to.
  machine_id JOINID(machine.id),
  -- Tracks with the same number may be shown as one.
  track_group_id LONG
) AS
SELECT
  id, name, type, dimension_arg_set_id, parent_id, source_arg_set_id, machine_id, track_group_id
FROM __stored_track;

-- A track of slices that belongs to a thread.
CREATE PERFETTO VIEW thread_track(
  -- The track's id.
  id ID(track.id),
  -- Its name; NULL where the thread or process names it.
  name STRING,
  -- What kind of track it is, which also says what its dimensions are.
  type STRING,
  -- The track it is shown under.
  parent_id JOINID(track.id),
  -- What the trace says of where the track came from.
  source_arg_set_id ARGSETID,
  -- The machine it belongs to.
  machine_id JOINID(machine.id),
  -- The thread it belongs to.
  utid JOINID(thread.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __stored_track
WHERE is_counter = 0 AND utid IS NOT NULL;

-- A track of slices that belongs to a process.
CREATE PERFETTO VIEW process_track(
  -- The track's id.
  id ID(track.id),
  -- Its name; NULL where the thread or process names it.
  name STRING,
  -- What kind of track it is, which also says what its dimensions are.
  type STRING,
  -- The track it is shown under.
  parent_id JOINID(track.id),
  -- What the trace says of where the track came from.
  source_arg_set_id ARGSETID,
  -- The machine it belongs to.
  machine_id JOINID(machine.id),
  -- The process it belongs to.
  upid JOINID(process.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __stored_track
WHERE is_counter = 0 AND upid IS NOT NULL;

-- A track of slices that belongs to a CPU.
CREATE PERFETTO VIEW cpu_track(
  -- The track's id.
  id ID(track.id),
  -- Its name; NULL where the thread or process names it.
  name STRING,
  -- What kind of track it is, which also says what its dimensions are.
  type STRING,
  -- The track it is shown under.
  parent_id JOINID(track.id),
  -- What the trace says of where the track came from.
  source_arg_set_id ARGSETID,
  -- The machine it belongs to.
  machine_id JOINID(machine.id),
  -- The CPU it belongs to, as its machine numbers it.
  cpu LONG
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, cpu
FROM __stored_track
WHERE is_counter = 0 AND cpu IS NOT NULL;

-- A track of states.
CREATE PERFETTO VIEW state_track(
  -- The track's id.
  id ID(track.id),
  -- Its name.
  name STRING,
  -- The track it is shown under.
  parent_id JOINID(track.id),
  -- What kind of track it is, which also says what its dimensions are.
  type STRING,
  -- The args that tell tracks of one kind apart.
  dimension_arg_set_id ARGSETID,
  -- What the trace says of where the track came from.
  source_arg_set_id ARGSETID,
  -- The machine it belongs to.
  machine_id JOINID(machine.id)
) AS
SELECT
  id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id
FROM __stored_track
WHERE type IN ('global_state_track_event', 'process_state_track_event', 'thread_state_track_event');

-- A track of states of a process.
CREATE PERFETTO VIEW process_state_track(
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
  -- The process it belongs to.
  upid JOINID(process.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __stored_track
WHERE type = 'process_state_track_event';

-- A track of states of a thread.
CREATE PERFETTO VIEW thread_state_track(
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
  -- The thread it belongs to.
  utid JOINID(thread.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __stored_track
WHERE type = 'thread_state_track_event';
