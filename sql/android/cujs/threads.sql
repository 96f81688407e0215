-- The threads of the processes in which users' journeys took place.

INCLUDE PERFETTO MODULE android.cujs.base;

-- A journey and a thread of its process, by the thread's name.
CREATE PERFETTO FUNCTION android_jank_cuj_app_thread(
  -- The thread's name.
  thread_name STRING
)
RETURNS TABLE(
  -- The journey, as in `android_jank_cuj`.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid LONG,
  -- The thread's name.
  name STRING,
  -- The thread's track.
  track_id LONG
) AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread ON thread.upid = cuj.upid
JOIN thread_track AS track ON track.utid = thread.utid
WHERE thread.name = $thread_name;

-- A journey and the thread that draws its frames.
CREATE PERFETTO TABLE android_jank_cuj_render_thread(
  -- The journey, as in `android_jank_cuj`.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- `RenderThread`.
  name STRING,
  -- The thread's track.
  track_id JOINID(track.id)
) AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread ON thread.upid = cuj.upid
JOIN thread_track AS track ON track.utid = thread.utid
WHERE thread.name = 'RenderThread'
ORDER BY cuj.cuj_id;
