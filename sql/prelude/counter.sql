-- A counter track: a track with values instead of slices. The values are in `counter`.
CREATE PERFETTO VIEW counter_track(
  -- Unique id of the track.
  id ID(track.id),
  -- Name of the track; NULL where the name of its thread or process applies.
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
  machine_id JOINID(machine.id),
  -- Unit of the values.
  unit STRING,
  -- Description of the track.
  description STRING
) AS
SELECT
  id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id, unit,
  description
FROM __stored_track
WHERE is_counter = 1;

-- A counter track that belongs to a thread. The values are in `counter`.
CREATE PERFETTO VIEW thread_counter_track(
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
  -- Unit of the values.
  unit STRING,
  -- Description of the track.
  description STRING,
  -- Thread of the track; join with `thread` on `utid`.
  utid JOINID(thread.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, utid
FROM __stored_track
WHERE is_counter = 1 AND utid IS NOT NULL;

-- A counter track that belongs to a process. The values are in `counter`.
CREATE PERFETTO VIEW process_counter_track(
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
  -- Unit of the values.
  unit STRING,
  -- Description of the track.
  description STRING,
  -- Process of the track; join with `process` on `upid`.
  upid JOINID(process.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, upid
FROM __stored_track
WHERE is_counter = 1 AND upid IS NOT NULL;

-- A counter track that belongs to a CPU. The values are in `counter`.
CREATE PERFETTO VIEW cpu_counter_track(
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
  -- Unit of the values.
  unit STRING,
  -- Description of the track.
  description STRING,
  -- CPU of the track, numbered per machine.
  cpu LONG
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, cpu
FROM __stored_track
WHERE is_counter = 1 AND cpu IS NOT NULL;

-- A value of `counter`, with the name and unit of its counter track.
CREATE PERFETTO VIEW counters(
  -- Unique id of the row.
  id ID,
  -- Time from which the counter has this value, ns in trace time.
  ts TIMESTAMP,
  -- Counter track; join with `counter_track` on `id`.
  track_id JOINID(track.id),
  -- Value of the counter, in `unit`.
  value DOUBLE,
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Name of the counter track.
  name STRING,
  -- Unit of the value.
  unit STRING
) AS
SELECT
  counter.id, counter.ts, counter.track_id, counter.value, counter.arg_set_id, track.name, track.unit
FROM counter
JOIN counter_track AS track ON counter.track_id = track.id;
