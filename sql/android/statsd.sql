-- The atoms that Android's statsd wrote.

-- An atom: an instant, its fields being its arguments.
CREATE PERFETTO VIEW android_statsd_atoms(
  -- The slice.
  id LONG,
  -- When it was written.
  ts TIMESTAMP,
  -- 0.
  dur DURATION,
  -- The atom's fields.
  arg_set_id ARGSETID,
  -- Not told of atoms: NULL.
  thread_instruction_count LONG,
  -- Not told of atoms: NULL.
  thread_instruction_delta LONG,
  -- The track of atoms.
  track_id JOINID(track.id),
  -- The slice's categories.
  category STRING,
  -- The atom's name, as `battery_level_changed`.
  name STRING,
  -- How many slices of the track it lies in.
  depth LONG,
  -- The slice it lies in.
  parent_id LONG,
  -- Not told of atoms: NULL.
  thread_ts TIMESTAMP,
  -- Not told of atoms: NULL.
  thread_dur LONG
) AS
SELECT
  slice.id, slice.ts, slice.dur, slice.arg_set_id, slice.thread_instruction_count,
  slice.thread_instruction_delta, slice.track_id, slice.category, slice.name, slice.depth,
  slice.parent_id, slice.thread_ts, slice.thread_dur
FROM slice
JOIN track ON track.id = slice.track_id
WHERE track.name = 'Statsd Atoms';

-- A trigger of Perfetto's that fired, as its atom tells.
CREATE PERFETTO TABLE _android_statsd_perfetto_triggers(
  -- When it fired.
  ts TIMESTAMP,
  -- The trigger.
  trigger_name STRING
) AS
SELECT atom.ts, arg.string_value AS trigger_name
FROM android_statsd_atoms AS atom
LEFT JOIN args AS arg
  ON arg.arg_set_id = atom.arg_set_id AND arg.key = 'perfetto_trigger.trigger_name'
WHERE atom.name = 'perfetto_trigger'
ORDER BY atom.ts;
