-- Slices of the frames of CUJs: in the app, in SurfaceFlinger and on the threads that wait for
-- fences.

INCLUDE PERFETTO MODULE android.cujs.base;

INCLUDE PERFETTO MODULE android.cujs.threads;

INCLUDE PERFETTO MODULE android.surfaceflinger;

-- Returns the number of the fence that a slice creates, traces or waits for, such as 12 for
-- `waiting for GPU completion 12`; NULL for other slices.
CREATE PERFETTO FUNCTION _gpu_completion_fence_id_from_name(
  -- Name of the slice.
  slice_name STRING
)
-- Number of the fence.
RETURNS LONG AS
SELECT
  CAST(
    regexp_extract(
      $slice_name, '^(?:Trace |waiting for )?(?:GPU completion|HWC release)(?: fence)? (\d+)'
    )
    AS BIGINT
  );

-- `Choreographer#doFrame` slices of each CUJ. Where such slices contain each other, only the
-- innermost one counts.
CREATE PERFETTO TABLE _android_jank_cuj_do_frame_slice AS
WITH outer_frames AS (
  SELECT DISTINCT outer_slice.id
  FROM android_frames_choreographer_do_frame AS do_frame
  JOIN ancestor_slice(do_frame.id) AS outer_slice
)
SELECT
  cuj.cuj_id,
  frame.upid,
  frame.utid,
  slice.*,
  frame.ts_end,
  frame.vsync
FROM android_jank_cuj AS cuj
JOIN _android_jank_cuj_do_frames AS frame ON frame.cuj_id = cuj.cuj_id
JOIN slice ON slice.id = frame.id
WHERE slice.dur > 0 AND slice.id NOT IN (SELECT id FROM outer_frames)
ORDER BY cuj.cuj_id, slice.ts;

-- Draw slices of each CUJ on the render thread: those with the vsync of a frame of the CUJ. A frame
-- that draws several layers has several.
CREATE PERFETTO TABLE _android_jank_cuj_draw_frame_slice AS
SELECT
  frame.cuj_id,
  render.upid,
  render.utid,
  slice.*,
  slice.ts + slice.dur AS ts_end,
  frame.vsync
FROM (SELECT DISTINCT cuj_id, vsync FROM _android_jank_cuj_do_frames) AS frame
JOIN android_jank_cuj_render_thread AS render ON render.cuj_id = frame.cuj_id
JOIN android_frames_draw_frame AS drawing
  ON drawing.render_thread_utid = render.utid AND drawing.frame_id = frame.vsync
JOIN slice ON slice.id = drawing.id
WHERE slice.dur > 0
ORDER BY frame.cuj_id, slice.ts;

-- Fences that each draw slice names in a slice below it.
CREATE PERFETTO MACRO _fences_of_draw_slices(
  -- GLOB pattern for names of the slices of fences.
  pattern Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    __draw.cuj_id,
    __draw.vsync,
    __draw.id AS draw_frame_slice_id,
    _gpu_completion_fence_id_from_name(__fence.name) AS fence_idx
  FROM slice AS __fence
  JOIN ancestor_slice(__fence.id) AS __above
  JOIN _android_jank_cuj_draw_frame_slice AS __draw ON __draw.id = __above.id
  WHERE __fence.name GLOB $pattern
);

-- Fences that signal that the GPU has drawn a frame.
CREATE PERFETTO TABLE _android_jank_cuj_gpu_completion_fence AS
SELECT * FROM _fences_of_draw_slices!('*GPU completion fence*');

-- Fences that signal that the hardware composer (HWC) has released the buffer of a frame.
CREATE PERFETTO TABLE _android_jank_cuj_hwc_release_fence AS
SELECT * FROM _fences_of_draw_slices!('*HWC release fence *');

-- Slices that wait until the hardware composer has released the buffer of a frame.
CREATE PERFETTO TABLE _android_jank_cuj_hwc_release_slice AS
SELECT
  fence.cuj_id,
  fence.vsync,
  slice.*,
  slice.ts + slice.dur AS ts_end,
  fence.fence_idx,
  fence.draw_frame_slice_id
FROM _android_jank_cuj_hwc_release_thread AS waiting
JOIN _android_jank_cuj_hwc_release_fence AS fence ON fence.cuj_id = waiting.cuj_id
JOIN slice
  ON slice.track_id = waiting.track_id
  AND _gpu_completion_fence_id_from_name(slice.name) = fence.fence_idx
WHERE slice.name GLOB 'waiting for HWC release *' AND slice.dur > 0
ORDER BY fence.cuj_id, slice.ts;

-- Slices that wait until the GPU has drawn a frame, with the end of the wait for the hardware
-- composer, if the draw slice has one.
CREATE PERFETTO TABLE _android_jank_cuj_gpu_completion_slice AS
SELECT
  fence.cuj_id,
  fence.vsync,
  slice.*,
  slice.ts + slice.dur AS ts_end,
  released.ts_end AS hwc_release_ts_end,
  fence.fence_idx
FROM _android_jank_cuj_gpu_completion_thread AS waiting
JOIN _android_jank_cuj_gpu_completion_fence AS fence ON fence.cuj_id = waiting.cuj_id
JOIN slice
  ON slice.track_id = waiting.track_id
  AND _gpu_completion_fence_id_from_name(slice.name) = fence.fence_idx
LEFT JOIN _android_jank_cuj_hwc_release_slice AS released
  ON released.cuj_id = fence.cuj_id
  AND released.vsync = fence.vsync
  AND released.draw_frame_slice_id = fence.draw_frame_slice_id
WHERE slice.name GLOB 'waiting for GPU completion *' AND slice.dur > 0
ORDER BY fence.cuj_id, slice.ts;

-- Work of the main thread of SurfaceFlinger on the frames that show the frames of each CUJ:
-- `commit`, `composite` and, on older builds, `onMessageInvalidate` slices with the vsync of
-- SurfaceFlinger.
CREATE PERFETTO TABLE _android_jank_cuj_sf_root_slice AS
WITH shown AS (
  SELECT DISTINCT frame.cuj_id, matched.sf_vsync AS vsync
  FROM _android_jank_cuj_do_frames AS frame
  JOIN android_app_to_sf_frame_timeline_match AS matched
    ON matched.app_vsync = frame.vsync AND matched.app_upid = frame.upid
)
SELECT
  shown.cuj_id,
  compositor.utid,
  shown.vsync,
  slice.id,
  slice.name,
  slice.ts,
  slice.dur,
  slice.ts + slice.dur AS ts_end
FROM shown
JOIN _android_sf_main_thread AS compositor
JOIN slice
  ON slice.track_id = compositor.track_id
  AND CAST(split_part(slice.name, ' ', 2) AS BIGINT) = shown.vsync
WHERE
  split_part(slice.name, ' ', 1) IN ('commit', 'composite', 'onMessageInvalidate')
  AND slice.dur > 0
ORDER BY shown.cuj_id, slice.ts;

-- Fences that signal that the GPU has composed a frame for SurfaceFlinger.
CREATE PERFETTO TABLE _android_jank_cuj_sf_gpu_completion_fence AS
SELECT
  root.cuj_id,
  root.vsync,
  root.id AS sf_root_slice_id,
  _gpu_completion_fence_id_from_name(fence.name) AS fence_idx
FROM slice AS fence
JOIN ancestor_slice(fence.id) AS above
JOIN _android_jank_cuj_sf_root_slice AS root ON root.id = above.id
WHERE fence.name GLOB '*GPU completion fence*';

-- Slices of SurfaceFlinger that wait until the GPU has composed a frame.
CREATE PERFETTO TABLE _android_jank_cuj_sf_gpu_completion_slice AS
SELECT
  fence.cuj_id,
  fence.vsync,
  slice.*,
  slice.ts + slice.dur AS ts_end,
  fence.fence_idx
FROM _android_jank_cuj_sf_gpu_completion_fence AS fence
JOIN _android_jank_cuj_sf_gpu_completion_thread AS waiting
JOIN slice
  ON slice.track_id = waiting.track_id
  AND _gpu_completion_fence_id_from_name(slice.name) = fence.fence_idx
WHERE slice.name GLOB 'waiting for GPU completion *' AND slice.dur > 0
ORDER BY fence.cuj_id, slice.ts;

-- Slices of the render engine that draw layers for SurfaceFlinger: those within a `composeSurfaces`
-- slice of its main thread. There are none where the display hardware composes all layers.
CREATE PERFETTO TABLE _android_jank_cuj_sf_draw_layers_slice AS
WITH composing AS (
  SELECT root.cuj_id, root.vsync, composition.ts, composition.ts + composition.dur AS ts_end
  FROM slice AS composition
  JOIN ancestor_slice(composition.id) AS above
  JOIN _android_jank_cuj_sf_root_slice AS root ON root.id = above.id
  WHERE composition.name = 'composeSurfaces'
)
SELECT
  composing.cuj_id,
  engine.utid,
  composing.vsync,
  slice.*,
  slice.ts + slice.dur AS ts_end,
  composing.ts AS ts_compose_surfaces
FROM composing
JOIN _android_jank_cuj_sf_render_engine_thread AS engine
JOIN slice
  ON slice.track_id = engine.track_id
  AND slice.ts >= composing.ts
  AND slice.ts + slice.dur <= composing.ts_end
WHERE slice.name = 'REThreaded::drawLayers' AND slice.dur > 0
ORDER BY composing.cuj_id, slice.ts;
