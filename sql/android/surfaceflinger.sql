-- Frames in SurfaceFlinger, the Android compositor.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Process of SurfaceFlinger.
CREATE PERFETTO TABLE _android_sf_process AS
SELECT upid, pid, name
FROM process
WHERE name = '/system/bin/surfaceflinger'
ORDER BY upid
LIMIT 1;

-- Main thread of SurfaceFlinger.
CREATE PERFETTO TABLE _android_sf_main_thread AS
SELECT thread.upid, thread.utid, thread.name, track.id AS track_id
FROM _android_sf_process AS compositor
JOIN thread ON thread.upid = compositor.upid AND thread.is_main_thread = 1
JOIN thread_track AS track ON track.utid = thread.utid;

-- A frame of an app with the SurfaceFlinger frame that presented it.
CREATE PERFETTO TABLE android_app_to_sf_frame_timeline_match(
  -- Process of the app; join with `process` on `upid`.
  app_upid JOINID(process.upid),
  -- Frame number (vsync id) of the app frame.
  app_vsync LONG,
  -- Process of SurfaceFlinger; join with `process` on `upid`.
  sf_upid JOINID(process.upid),
  -- Frame number (vsync id) of the SurfaceFlinger frame.
  sf_vsync LONG
) AS
SELECT DISTINCT
  app.upid AS app_upid,
  CAST(nullif(app.name, '') AS BIGINT) AS app_vsync,
  shown.upid AS sf_upid,
  CAST(nullif(shown.name, '') AS BIGINT) AS sf_vsync
FROM actual_frame_timeline_slice AS app
JOIN flow ON flow.slice_out = app.id
JOIN actual_frame_timeline_slice AS shown ON shown.id = flow.slice_in
JOIN _android_sf_process AS compositor ON compositor.upid = shown.upid
ORDER BY app_vsync;

-- Composition workload of SurfaceFlinger for an output and a frame.
CREATE PERFETTO TABLE android_surfaceflinger_workloads(
  -- Time of the report, ns in trace time.
  ts TIMESTAMP,
  -- Source of the workload.
  source STRING,
  -- Output that the frame is composed for.
  output_name STRING,
  -- Frame number (vsync id) of the SurfaceFlinger frame.
  sf_vsync LONG,
  -- CPU time of the frame signal, ns.
  sf_cpu_frame_signal_nanos LONG,
  -- CPU time of the commit of app transactions, ns.
  sf_cpu_commit_nanos LONG,
  -- CPU time of the composition, ns.
  sf_cpu_composite_nanos LONG,
  -- CPU time of the present call of the hardware composer, ns.
  hwc_present_nanos LONG,
  -- CPU time of the validate call of the hardware composer, ns.
  hwc_validate_nanos LONG,
  -- CPU time of the combined present-or-validate call of the hardware composer, ns.
  hwc_present_or_validate_nanos LONG,
  -- CPU time of drawing layers in the render engine, ns.
  re_draw_layers_nanos LONG,
  -- GPU time of drawing layers, ns.
  re_gpu_completion_nanos LONG,
  -- CPU time of flushing work to the GPU, ns.
  skia_flush_nanos LONG,
  -- CPU time of submitting work to the GPU, ns.
  skia_submit_nanos LONG,
  -- Number of layers composed by the GPU.
  gpu_composited_layers LONG,
  -- Number of layers composed by the display hardware.
  dpu_composited_layers LONG
) AS
WITH fields AS (
  SELECT
    slice.id,
    slice.ts,
    substr(arg.key, length('surfaceflinger_workload.') + 1) AS field,
    arg.int_value,
    arg.string_value
  FROM slice
  JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
  WHERE arg.key GLOB 'surfaceflinger_workload.*'
),
numbers AS (
  SELECT
    id,
    ts,
    max(CASE WHEN field = 'source' THEN string_value END) AS source,
    max(CASE WHEN field = 'output_name' THEN string_value END) AS output_name,
    max(CASE WHEN field = 'vsync_id' THEN int_value END) AS sf_vsync,
    max(CASE WHEN field = 'summary.timings.sf_cpu.frame_signal_nanos' THEN int_value END)
      AS sf_cpu_frame_signal_nanos,
    max(CASE WHEN field = 'summary.timings.sf_cpu.commit_nanos' THEN int_value END)
      AS sf_cpu_commit_nanos,
    max(CASE WHEN field = 'summary.timings.sf_cpu.composite_nanos' THEN int_value END)
      AS sf_cpu_composite_nanos,
    max(CASE WHEN field = 'summary.timings.hwc.present_nanos' THEN int_value END)
      AS hwc_present_nanos,
    max(CASE WHEN field = 'summary.timings.hwc.validate_nanos' THEN int_value END)
      AS hwc_validate_nanos,
    max(CASE WHEN field = 'summary.timings.hwc.present_or_validate_nanos' THEN int_value END)
      AS hwc_present_or_validate_nanos,
    max(CASE WHEN field = 'summary.timings.re.draw_layers_nanos' THEN int_value END)
      AS re_draw_layers_nanos,
    max(CASE WHEN field = 'summary.timings.re.gpu_completion_nanos' THEN int_value END)
      AS re_gpu_completion_nanos,
    max(CASE WHEN field = 'summary.timings.skia.flush_nanos' THEN int_value END)
      AS skia_flush_nanos,
    max(CASE WHEN field = 'summary.timings.skia.submit_nanos' THEN int_value END)
      AS skia_submit_nanos,
    max(CASE WHEN field = 'summary.stats.gpu_composited_layers' THEN int_value END)
      AS gpu_composited_layers,
    max(CASE WHEN field = 'summary.stats.dpu_composited_layers' THEN int_value END)
      AS dpu_composited_layers
  FROM fields
  GROUP BY id, ts
)
SELECT
  ts, source, output_name, sf_vsync, sf_cpu_frame_signal_nanos, sf_cpu_commit_nanos,
  sf_cpu_composite_nanos, hwc_present_nanos, hwc_validate_nanos, hwc_present_or_validate_nanos,
  re_draw_layers_nanos, re_gpu_completion_nanos, skia_flush_nanos, skia_submit_nanos,
  gpu_composited_layers, dpu_composited_layers
FROM numbers
ORDER BY ts;
