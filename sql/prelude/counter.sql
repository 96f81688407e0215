-- A counter: a track with values in place of slices.
CREATE PERFETTO VIEW counter_track(
  -- The track's id.
  id ID(track.id),
  -- Its name; NULL where the thread or process names it.
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
  machine_id JOINID(machine.id),
  -- What its values count in.
  unit STRING,
  -- What it is for.
  description STRING
) AS
SELECT
  id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id, unit,
  description
FROM __stored_track
WHERE is_counter = 1;

-- A counter that belongs to a thread.
CREATE PERFETTO VIEW thread_counter_track(
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
  -- What its values count in.
  unit STRING,
  -- What it is for.
  description STRING,
  -- The thread it belongs to.
  utid JOINID(thread.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, utid
FROM __stored_track
WHERE is_counter = 1 AND utid IS NOT NULL;

-- A counter that belongs to a process.
CREATE PERFETTO VIEW process_counter_track(
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
  -- What its values count in.
  unit STRING,
  -- What it is for.
  description STRING,
  -- The process it belongs to.
  upid JOINID(process.id)
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, upid
FROM __stored_track
WHERE is_counter = 1 AND upid IS NOT NULL;

-- A counter that belongs to a CPU.
CREATE PERFETTO VIEW cpu_counter_track(
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
  -- What its values count in.
  unit STRING,
  -- What it is for.
  description STRING,
  -- The CPU it belongs to, as its machine numbers it.
  cpu LONG
) AS
SELECT
  id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, cpu
FROM __stored_track
WHERE is_counter = 1 AND cpu IS NOT NULL;

-- The values of `counter`, with the name and unit of the counter.
CREATE PERFETTO VIEW counters(
  -- The row's id.
  id ID,
  -- When the counter took the value.
  ts TIMESTAMP,
  -- The counter.
  track_id JOINID(track.id),
  -- Its value.
  value DOUBLE,
  -- More about it.
  arg_set_id ARGSETID,
  -- The counter's name.
  name STRING,
  -- What the value counts in.
  unit STRING
) AS
SELECT
  counter.id, counter.ts, counter.track_id, counter.value, counter.arg_set_id, track.name, track.unit
FROM counter
JOIN counter_track AS track ON counter.track_id = track.id;
