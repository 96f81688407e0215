-- Blocking calls in the frames of CUJs.

INCLUDE PERFETTO MODULE android.critical_blocking_calls;

INCLUDE PERFETTO MODULE android.cujs.base;

-- Frames of each CUJ, extended to the start of the next frame, or of the next work of the thread on
-- a frame if that comes first. A blocking call often ends after the actual frame. The last frame of
-- a CUJ is not extended.
CREATE PERFETTO TABLE _extended_frame_boundary AS
WITH frames AS (
  SELECT *, lead(frame_ts) OVER (PARTITION BY cuj_id ORDER BY frame_id) AS next_ts
  FROM _android_distinct_frames_in_cuj
)
SELECT
  frame.frame_ts AS ts,
  frame.ui_thread_utid,
  frame.render_thread_utid,
  frame.frame_id,
  frame.layer_id,
  frame.cuj_id,
  frame.cuj_name,
  coalesce(min(work.ts), frame.next_ts, frame.ts_end) AS ts_end
FROM frames AS frame
LEFT JOIN _android_jank_cuj_do_frames AS work
  ON work.utid = frame.ui_thread_utid AND work.ts >= frame.ts_end AND work.ts <= frame.next_ts
GROUP BY
  frame.frame_ts, frame.ui_thread_utid, frame.render_thread_utid, frame.frame_id, frame.layer_id,
  frame.cuj_id, frame.cuj_name, frame.next_ts, frame.ts_end
ORDER BY frame.frame_id, frame.cuj_id;

-- Blocking calls of the main thread and the render thread that start or end in a frame of a CUJ,
-- clipped to the frame. A call that starts in one frame and ends in another has a row for each.
CREATE PERFETTO TABLE _blocking_calls_frame_cuj AS
WITH threads_of_frames AS (
  SELECT *, ui_thread_utid AS utid
  FROM _extended_frame_boundary
  UNION ALL
  SELECT *, render_thread_utid AS utid
  FROM _extended_frame_boundary
  WHERE render_thread_utid != ui_thread_utid
)
SELECT
  least(call.dur, frame.ts_end - call.ts, call.ts_end - frame.ts) AS dur,
  greatest(call.ts, frame.ts) AS ts,
  call.upid,
  call.name,
  call.process_name,
  call.utid,
  frame.frame_id,
  frame.layer_id,
  frame.cuj_id,
  frame.cuj_name
FROM threads_of_frames AS frame
JOIN _android_critical_blocking_calls AS call ON call.utid = frame.utid
WHERE
  call.ts BETWEEN frame.ts AND frame.ts_end
  OR call.ts_end BETWEEN frame.ts AND frame.ts_end
ORDER BY frame.cuj_id, frame.frame_id, call.ts, call.id;
