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

-- A track of work of GPUs, drivers of graphics, or frame buffers.
CREATE PERFETTO VIEW gpu_track(
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
  -- Values that distinguish the track from others of its type; join with `args` on `arg_set_id`.
  dimension_arg_set_id ARGSETID,
  -- Machine of the track; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Same as `type`.
  scope STRING,
  -- Description of the track.
  description STRING,
  -- GPU context of the track; NULL for tracks that belong to no context.
  context_id LONG
) AS
SELECT
  track.id, track.name, track.type, track.parent_id, track.source_arg_set_id,
  track.dimension_arg_set_id, track.machine_id, track.type AS scope, track.description,
  context.int_value AS context_id
FROM __stored_track AS track
LEFT JOIN args AS context
  ON track.dimension_arg_set_id = context.arg_set_id AND context.key = 'context_id'
WHERE track.type IN (
  'drm_vblank', 'drm_sched_ring', 'drm_fence', 'mali_mcu_state', 'gpu_render_stage',
  'vulkan_events', 'gpu_log', 'graphics_frame_event'
);

-- A stage of work on a queue of a GPU, a submission of work by Vulkan, or a message of a driver.
CREATE PERFETTO VIEW gpu_slice(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; 0 for a message.
  dur DURATION,
  -- Track of the slice; join with `gpu_track` on `id`.
  track_id JOINID(track.id),
  -- Always NULL: these slices have no category.
  category STRING,
  -- Name of the stage, `vkQueueSubmit`, or the severity of the message.
  name STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth LONG,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(frame_slice.id),
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id LONG,
  -- Context of the stage; see `gpu_context`.
  context_id LONG,
  -- Handle of the render target.
  render_target LONG,
  -- Name that the program gave the render target.
  render_target_name STRING,
  -- Handle of the render pass.
  render_pass LONG,
  -- Name that the program gave the render pass.
  render_pass_name STRING,
  -- Handle of the command buffer; of a submission, that of its first one.
  command_buffer LONG,
  -- Name that the program gave the command buffer.
  command_buffer_name STRING,
  -- Number of the frame; NULL if the driver does not state it.
  frame_id LONG,
  -- Number of the submission, the same for `vkQueueSubmit` and its stages.
  submission_id LONG,
  -- Hardware queue of the stage: the id of interned data, or the number of the queue.
  hw_queue_id LONG,
  -- Process of the context; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Numbers of the subpasses, separated by commas.
  render_subpasses STRING,
  -- Kind of work of the stage: 0 for other, 1 for graphics, 2 for compute.
  render_stage_category LONG
) AS
WITH described AS (
  SELECT
    arg_set_id AS set_id,
    max(CASE WHEN key = 'context_id' THEN int_value END) AS context_id,
    max(CASE WHEN key = 'render_target' THEN int_value END) AS render_target,
    max(CASE WHEN key = 'render_target_name' THEN string_value END) AS render_target_name,
    max(CASE WHEN key = 'render_pass' THEN int_value END) AS render_pass,
    max(CASE WHEN key = 'render_pass_name' THEN string_value END) AS render_pass_name,
    max(CASE WHEN key = 'command_buffer' THEN int_value END) AS command_buffer,
    max(CASE WHEN key = 'command_buffer_name' THEN string_value END) AS command_buffer_name,
    max(CASE WHEN key = 'frame_id' THEN coalesce(int_value, CAST(string_value AS INT)) END) AS frame_id,
    max(CASE WHEN key = 'submission_id' THEN int_value END) AS submission_id,
    max(CASE WHEN key = 'hw_queue_id' THEN int_value END) AS hw_queue_id,
    max(CASE WHEN key = 'upid' THEN int_value END) AS upid,
    max(CASE WHEN key = 'render_subpasses' THEN string_value END) AS render_subpasses,
    max(CASE WHEN key = 'render_stage_category' THEN int_value END) AS render_stage_category
  FROM args
  GROUP BY arg_set_id
)
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  context_id, render_target, render_target_name, render_pass, render_pass_name, command_buffer,
  command_buffer_name, frame_id, submission_id, hw_queue_id, d.upid, render_subpasses,
  render_stage_category
FROM slice AS s
JOIN __stored_track AS t ON s.track_id = t.id
LEFT JOIN described AS d ON s.arg_set_id = d.set_id
WHERE t.type IN ('gpu_render_stage', 'vulkan_events', 'gpu_log');
