-- Atoms that statsd of Android wrote.

-- A statsd atom: an instant slice with the fields of the atom as arguments.
CREATE PERFETTO VIEW android_statsd_atoms(
  -- Slice of the atom; join with `slice` on `id`.
  id LONG,
  -- Time of the atom, ns in trace time.
  ts TIMESTAMP,
  -- Always 0.
  dur DURATION,
  -- Fields of the atom; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Always NULL for atoms.
  thread_instruction_count LONG,
  -- Always NULL for atoms.
  thread_instruction_delta LONG,
  -- Track of the atoms; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Categories of the slice, separated by commas.
  category STRING,
  -- Name of the atom, such as `battery_level_changed`.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id LONG,
  -- Always NULL for atoms.
  thread_ts TIMESTAMP,
  -- Always NULL for atoms, ns.
  thread_dur LONG
) AS
SELECT
  slice.id, slice.ts, slice.dur, slice.arg_set_id, slice.thread_instruction_count,
  slice.thread_instruction_delta, slice.track_id, slice.category, slice.name, slice.depth,
  slice.parent_id, slice.thread_ts, slice.thread_dur
FROM slice
JOIN track ON track.id = slice.track_id
WHERE track.name = 'Statsd Atoms';

-- A Perfetto trigger that fired, from its statsd atom.
CREATE PERFETTO TABLE _android_statsd_perfetto_triggers(
  -- Time when the trigger fired, ns in trace time.
  ts TIMESTAMP,
  -- Name of the trigger.
  trigger_name STRING
) AS
SELECT atom.ts, arg.string_value AS trigger_name
FROM android_statsd_atoms AS atom
LEFT JOIN args AS arg
  ON arg.arg_set_id = atom.arg_set_id AND arg.key = 'perfetto_trigger.trigger_name'
WHERE atom.name = 'perfetto_trigger'
ORDER BY atom.ts;
