-- Tracks of the work of GPUs for apps, from the kernel event `gpu_work_period`.

-- A track with the periods in which a GPU worked for a user id.
CREATE PERFETTO TABLE android_gpu_work_period_track(
  -- Track; join with `track` on `id`.
  id LONG,
  -- Machine; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- User id that the GPU worked for.
  uid LONG,
  -- GPU, unique across machines; join with `gpu` on `id`.
  ugpu LONG,
  -- GPU number on its machine.
  gpu_id LONG
) AS
SELECT
  track.id,
  track.machine_id,
  max(CASE WHEN dimension.key = 'uid' THEN dimension.int_value END) AS uid,
  max(CASE WHEN dimension.key = 'ugpu' THEN dimension.int_value END) AS ugpu,
  max(CASE WHEN dimension.key = 'gpu' THEN dimension.int_value END) AS gpu_id
FROM track
LEFT JOIN args AS dimension ON dimension.arg_set_id = track.dimension_arg_set_id
WHERE track.type = 'android_gpu_work_period'
GROUP BY track.id, track.machine_id
ORDER BY track.id;
