-- A track: a line of the timeline. It belongs to a thread, process, CPU or GPU, holds a counter, or
-- belongs to the whole trace.
CREATE PERFETTO VIEW track(
  -- Unique id of the track.
  id ID,
  -- Name of the track; NULL where the name of its thread or process applies.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Dimensions that distinguish tracks of the same `type`; join with `args` on `arg_set_id`.
  dimension_arg_set_id ARGSETID,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Tracks with the same number can be displayed as one; NULL if not grouped.
  track_group_id LONG
) AS
SELECT
  id, name, type, dimension_arg_set_id, parent_id, source_arg_set_id, machine_id, track_group_id
FROM __stored_track;

-- A track of slices that belongs to a thread.
CREATE PERFETTO VIEW thread_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track; NULL where the name of its thread or process applies.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Thread of the track; join with `thread` on `utid`.
  utid JOINID(thread.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __stored_track
WHERE is_counter = 0 AND utid IS NOT NULL;

-- A track of slices that belongs to a process.
CREATE PERFETTO VIEW process_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track; NULL where the name of its thread or process applies.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Process of the track; join with `process` on `upid`.
  upid JOINID(process.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __stored_track
WHERE is_counter = 0 AND upid IS NOT NULL;

-- A track of slices that belongs to a CPU.
CREATE PERFETTO VIEW cpu_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track; NULL where the name of its thread or process applies.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- CPU of the track, numbered per machine.
  cpu LONG
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, cpu
FROM __stored_track
WHERE is_counter = 0 AND cpu IS NOT NULL;

-- A track that holds states.
CREATE PERFETTO VIEW state_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Dimensions that distinguish tracks of the same `type`; join with `args` on `arg_set_id`.
  dimension_arg_set_id ARGSETID,
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id)
) AS
SELECT
  id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id
FROM __stored_track
WHERE type IN (
  'global_state_track_event', 'process_state_track_event', 'thread_state_track_event',
  'concurrent_tracing_sessions');

-- A track that holds states of a process.
CREATE PERFETTO VIEW process_state_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Process of the track; join with `process` on `upid`.
  upid JOINID(process.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __stored_track
WHERE type = 'process_state_track_event';

-- A track that holds states of a thread.
CREATE PERFETTO VIEW thread_state_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, which also determines its dimensions.
  type STRING,
  -- Parent track in the timeline; NULL for a top-level track. Join with `track` on `id`.
  parent_id JOINID(track.id),
  -- Details about the origin of the track; join with `args` on `arg_set_id`.
  source_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Thread of the track; join with `thread` on `utid`.
  utid JOINID(thread.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __stored_track
WHERE type = 'thread_state_track_event';
