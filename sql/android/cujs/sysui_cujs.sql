-- CUJs that are monitored for jank or latency, and the blocking calls during them.

INCLUDE PERFETTO MODULE android.critical_blocking_calls;

INCLUDE PERFETTO MODULE android.cujs.base;

INCLUDE PERFETTO MODULE android.render_thread;

-- A CUJ that was monitored for jank and not canceled, with the time of its frames. CUJs without
-- recorded frames are left out.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`.
  cuj_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the CUJ slice, `J<name>`.
  cuj_slice_name STRING,
  -- Name of the CUJ.
  cuj_name STRING,
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Expected start of the first frame, ns in trace time.
  ts TIMESTAMP,
  -- End of the work of the last frame on its thread, ns in trace time.
  ts_end TIMESTAMP,
  -- Duration between the two, ns.
  dur DURATION,
  -- Result: `completed`; NULL if no mark states it.
  state STRING,
  -- Thread that produces the frames of the CUJ; join with `thread` on `utid`.
  ui_thread JOINID(thread.id),
  -- Number of the monitored layer; NULL if no mark states it.
  layer_id LONG,
  -- Vsync id of the first frame.
  begin_vsync LONG,
  -- Vsync id of the last frame.
  end_vsync LONG
) AS
WITH framed AS (
  SELECT
    frame.cuj_id,
    min(expected.ts) AS ts,
    max(work.ts + work.dur) AS ts_end
  FROM _android_distinct_frames_in_cuj AS frame
  JOIN slice AS work ON work.id = frame.do_frame_id
  LEFT JOIN slice AS expected ON expected.id = frame.expected_frame_timeline_id
  WHERE frame.frame_idx IN (1, frame.frame_cnt)
  GROUP BY frame.cuj_id
)
SELECT
  cuj.cuj_id, cuj.upid, cuj.process_name, cuj.cuj_slice_name, cuj.cuj_name, cuj.slice_id,
  framed.ts, framed.ts_end, framed.ts_end - framed.ts AS dur, cuj.state, cuj.ui_thread,
  cuj.layer_id, cuj.begin_vsync, cuj.end_vsync
FROM android_jank_cuj AS cuj
JOIN framed ON framed.cuj_id = cuj.cuj_id
ORDER BY framed.ts;

-- A CUJ that was monitored for latency.
CREATE PERFETTO TABLE android_sysui_latency_cujs(
  -- Number of the CUJ, in order of time.
  cuj_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the CUJ slice, `L<name>`.
  cuj_slice_name STRING,
  -- Name of the CUJ.
  cuj_name STRING,
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Result: `canceled` or `timeout` with such an instant on a track named like the slice, else
  -- `completed`.
  state STRING
) AS
WITH marks AS (
  SELECT mark.ts, mark.name, track.name AS cuj_slice_name
  FROM slice AS mark
  JOIN track ON track.id = mark.track_id
  WHERE mark.name IN ('cancel', 'timeout') AND mark.dur = 0 AND track.name GLOB 'L<*>'
)
SELECT
  row_number() OVER (ORDER BY cuj.ts, cuj.id) AS cuj_id,
  process.upid,
  process.name AS process_name,
  cuj.name AS cuj_slice_name,
  _extract_cuj_name_from_slice(cuj.name) AS cuj_name,
  cuj.id AS slice_id,
  cuj.ts,
  cuj.ts + cuj.dur AS ts_end,
  cuj.dur,
  CASE min(marks.name)
    WHEN 'cancel' THEN 'canceled'
    WHEN 'timeout' THEN 'timeout'
    ELSE 'completed'
  END AS state
FROM slice AS cuj
JOIN process_track AS track ON track.id = cuj.track_id
JOIN process ON process.upid = track.upid
LEFT JOIN marks
  ON marks.cuj_slice_name = cuj.name AND marks.ts BETWEEN cuj.ts AND cuj.ts + cuj.dur
WHERE cuj.name GLOB 'L<*>' AND cuj.dur > 0
GROUP BY process.upid, process.name, cuj.name, cuj.id, cuj.ts, cuj.dur
ORDER BY 1;

-- A CUJ that was monitored for jank or latency.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  -- Number of the CUJ: those monitored for jank first, each kind in the order of its own number.
  cuj_id LONG,
  -- Same as `cuj_id`.
  id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Name of the CUJ slice.
  cuj_slice_name STRING,
  -- Name of the CUJ.
  cuj_name STRING,
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Result: `completed`, for latency also `canceled` or `timeout`; NULL if no mark states it.
  state STRING,
  -- Thread that produces the frames; for a latency CUJ, the main thread of the process. Join with
  -- `thread` on `utid`.
  ui_thread JOINID(thread.id),
  -- Number of the monitored layer; NULL if no mark states it.
  layer_id LONG,
  -- Vsync id of the first frame; NULL for a latency CUJ.
  begin_vsync LONG,
  -- Vsync id of the last frame; NULL for a latency CUJ.
  end_vsync LONG,
  -- Kind of monitoring: `jank` or `latency`.
  cuj_type STRING
) AS
WITH both_kinds AS (
  SELECT
    cuj_id AS nth, upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state,
    ui_thread, layer_id, begin_vsync, end_vsync, 'jank' AS cuj_type
  FROM android_sysui_jank_cujs
  UNION ALL
  SELECT
    cuj.cuj_id, cuj.upid, cuj.process_name, cuj.cuj_slice_name, cuj.cuj_name, cuj.slice_id, cuj.ts,
    cuj.ts_end, cuj.dur, cuj.state, thread.utid AS ui_thread, CAST(NULL AS BIGINT) AS layer_id,
    CAST(NULL AS BIGINT) AS begin_vsync, CAST(NULL AS BIGINT) AS end_vsync, 'latency' AS cuj_type
  FROM android_sysui_latency_cujs AS cuj
  LEFT JOIN thread ON thread.upid = cuj.upid AND thread.is_main_thread = 1
)
SELECT
  row_number() OVER (ORDER BY cuj_type, nth) AS cuj_id,
  row_number() OVER (ORDER BY cuj_type, nth) AS id,
  upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread,
  layer_id, begin_vsync, end_vsync, cuj_type
FROM both_kinds
ORDER BY 1;

-- A blocking call of the frame thread or a render thread during a CUJ, clipped to the CUJ.
CREATE PERFETTO TABLE android_cuj_blocking_calls(
  -- Slice of the call; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Normalized name of the call.
  name STRING,
  -- Start, ns in trace time; not before the start of the CUJ.
  ts TIMESTAMP,
  -- Duration during the CUJ, ns.
  dur DURATION,
  -- End, ns in trace time; not after the end of the CUJ.
  ts_end TIMESTAMP,
  -- Number of the CUJ; join with `android_jank_latency_cujs` on `cuj_id`.
  cuj_id LONG,
  -- Name of the CUJ.
  cuj_name STRING,
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread of the call; join with `thread` on `utid`.
  utid JOINID(thread.id)
) AS
SELECT
  call.id AS slice_id,
  call.name,
  greatest(call.ts, cuj.ts) AS ts,
  least(call.ts_end, cuj.ts_end) - greatest(call.ts, cuj.ts) AS dur,
  least(call.ts_end, cuj.ts_end) AS ts_end,
  cuj.cuj_id,
  cuj.cuj_name,
  call.process_name,
  call.upid,
  call.utid
FROM android_jank_latency_cujs AS cuj
JOIN _android_critical_blocking_calls AS call
  ON call.upid = cuj.upid AND call.ts_end > cuj.ts AND call.ts < cuj.ts_end
WHERE
  call.utid = cuj.ui_thread
  OR call.utid IN (SELECT render_thread_utid FROM _render_thread_per_process)
ORDER BY cuj.cuj_id, call.ts, call.id;
