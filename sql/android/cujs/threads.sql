-- Threads of the processes of CUJs.

INCLUDE PERFETTO MODULE android.cujs.base;

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
