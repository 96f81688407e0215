-- A GPU that the trace mentions.
CREATE PERFETTO VIEW gpu(
  -- The same as `ugpu`.
  id ID,
  -- The GPU, unique over machines.
  ugpu ID,
  -- The machine's number for it.
  gpu LONG,
  -- Its name.
  name STRING,
  -- Who made it.
  vendor STRING,
  -- Which one of the vendor's it is.
  model STRING,
  -- The family of processors it belongs to.
  architecture STRING,
  -- What tells it from all others, in hexadecimal.
  uuid STRING,
  -- Where it is on the PCI bus.
  pci_bdf STRING,
  -- The machine it is in.
  machine_id JOINID(machine.id),
  -- More about it.
  arg_set_id ARGSETID
) AS
SELECT
  id, id AS ugpu, gpu, name, vendor, model, architecture, uuid, pci_bdf, machine_id, arg_set_id
FROM __stored_gpu;

-- A counter that belongs to a GPU.
CREATE PERFETTO VIEW gpu_counter_track(
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
  -- The GPU it belongs to, unique over machines.
  ugpu LONG,
  -- The GPU it belongs to, as its machine numbers it.
  gpu_id LONG
) AS
SELECT
  track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.machine_id,
  track.unit, track.description, ugpu.int_value AS ugpu, gpu.int_value AS gpu_id
FROM counter_track AS track
JOIN args AS ugpu ON track.dimension_arg_set_id = ugpu.arg_set_id AND ugpu.key = 'ugpu'
JOIN args AS gpu ON track.dimension_arg_set_id = gpu.arg_set_id AND gpu.key = 'gpu';
