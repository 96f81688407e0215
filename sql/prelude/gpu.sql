-- A GPU that appears in the trace.
CREATE PERFETTO VIEW gpu(
  -- Same as `ugpu`.
  id ID,
  -- GPU, unique across machines.
  ugpu ID,
  -- GPU number on its machine; not unique if the trace has several machines.
  gpu LONG,
  -- Name of the GPU.
  name STRING,
  -- Vendor of the GPU.
  vendor STRING,
  -- Model name given by the vendor.
  model STRING,
  -- Processor architecture of the GPU.
  architecture STRING,
  -- UUID of the GPU, in hexadecimal.
  uuid STRING,
  -- PCI address of the GPU (bus, device and function).
  pci_bdf STRING,
  -- Machine; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT
  id, id AS ugpu, gpu, name, vendor, model, architecture, uuid, pci_bdf, machine_id, arg_set_id
FROM __stored_gpu;

-- A counter track that belongs to a GPU. The values are in `counter`.
CREATE PERFETTO VIEW gpu_counter_track(
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
  -- GPU of the track, unique across machines; join with `gpu` on `ugpu`.
  ugpu LONG,
  -- GPU number on its machine.
  gpu_id LONG
) AS
SELECT
  track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.machine_id,
  track.unit, track.description, ugpu.int_value AS ugpu, gpu.int_value AS gpu_id
FROM counter_track AS track
JOIN args AS ugpu ON track.dimension_arg_set_id = ugpu.arg_set_id AND ugpu.key = 'ugpu'
JOIN args AS gpu ON track.dimension_arg_set_id = gpu.arg_set_id AND gpu.key = 'gpu';
