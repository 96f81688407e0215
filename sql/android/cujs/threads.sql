-- Threads of the processes of CUJs, and of SurfaceFlinger.

INCLUDE PERFETTO MODULE android.cujs.base;

INCLUDE PERFETTO MODULE android.surfaceflinger;

-- Returns each CUJ with the threads of its process that have a name.
CREATE PERFETTO FUNCTION android_jank_cuj_app_thread(
  -- Name of the thread.
  thread_name STRING
)
RETURNS TABLE(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`.
  cuj_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Name of the thread.
  name STRING,
  -- Track of the thread; join with `track` on `id`.
  track_id LONG
) AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread ON thread.upid = cuj.upid
JOIN thread_track AS track ON track.utid = thread.utid
WHERE thread.name = $thread_name;

-- A CUJ with the render thread of its process.
CREATE PERFETTO TABLE android_jank_cuj_render_thread(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`.
  cuj_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Always `RenderThread`.
  name STRING,
  -- Track of the thread; join with `track` on `id`.
  track_id JOINID(track.id)
) AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread ON thread.upid = cuj.upid
JOIN thread_track AS track ON track.utid = thread.utid
WHERE thread.name = 'RenderThread'
ORDER BY cuj.cuj_id;

-- A CUJ with the thread that produces its frames: the stated thread, else the main thread.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread ON thread.upid = cuj.upid
JOIN thread_track AS track ON track.utid = thread.utid
WHERE thread.utid = cuj.ui_thread OR cuj.ui_thread IS NULL AND thread.is_main_thread = 1
ORDER BY cuj.cuj_id;

-- A CUJ with the threads of its process that wait until the GPU has drawn a frame.
CREATE PERFETTO TABLE _android_jank_cuj_gpu_completion_thread AS
SELECT * FROM android_jank_cuj_app_thread('GPU completion');

-- A CUJ with the threads of its process that wait until the hardware composer (HWC) has released a
-- buffer.
CREATE PERFETTO TABLE _android_jank_cuj_hwc_release_thread AS
SELECT * FROM android_jank_cuj_app_thread('HWC release');

-- Process of SurfaceFlinger.
CREATE PERFETTO TABLE _android_jank_cuj_sf_process AS
SELECT upid, name FROM _android_sf_process;

-- Threads of SurfaceFlinger with their tracks.
CREATE PERFETTO TABLE _sf_threads AS
SELECT thread.upid, thread.utid, thread.name, track.id AS track_id
FROM _android_sf_process AS compositor
JOIN thread ON thread.upid = compositor.upid
JOIN thread_track AS track ON track.utid = thread.utid;

-- Threads of SurfaceFlinger that wait until the GPU has composed a frame.
CREATE PERFETTO TABLE _android_jank_cuj_sf_gpu_completion_thread AS
SELECT * FROM _sf_threads WHERE name = 'GPU completion';

-- Threads of SurfaceFlinger that draw layers which the display hardware does not compose.
CREATE PERFETTO TABLE _android_jank_cuj_sf_render_engine_thread AS
SELECT * FROM _sf_threads WHERE name = 'RenderEngine';
