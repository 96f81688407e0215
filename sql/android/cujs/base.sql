-- Critical user journeys (CUJs) that are monitored for jank. Apps mark them with slices `J<name>`.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- CUJ slices of system processes and Google apps.
CREATE PERFETTO TABLE _jank_cuj_slices AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  slice.ts + slice.dur AS ts_end,
  slice.name,
  slice.track_id,
  process.upid,
  process.name AS process_name
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process USING (upid)
WHERE
  slice.name GLOB 'J<*>'
  AND slice.dur > 0
  AND (process.name GLOB 'com.android.*' OR process.name GLOB 'com.google.android*');

-- Instants with details of a CUJ. Their name starts with the CUJ name, or their track has that
-- name. They mark the start and end of monitoring, the layer and the thread.
CREATE PERFETTO TABLE _cuj_marks AS
SELECT
  cuj.id AS cuj_slice_id,
  mark.ts,
  mark.name,
  thread_track.utid
FROM _jank_cuj_slices AS cuj
JOIN slice AS mark
  ON split_part(mark.name, '#', 1) = cuj.name AND mark.ts >= cuj.ts
JOIN track ON track.id = mark.track_id
LEFT JOIN process_track ON process_track.id = mark.track_id
LEFT JOIN thread_track ON thread_track.id = mark.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
WHERE
  coalesce(process_track.upid, thread.upid) = cuj.upid
  AND mark.ts <= cuj.ts_end
  AND (mark.name GLOB 'J<*#FT#*' OR mark.name GLOB 'J<*#UIThread')
UNION ALL
SELECT cuj.id AS cuj_slice_id, mark.ts, mark.name, CAST(NULL AS BIGINT) AS utid
FROM _jank_cuj_slices AS cuj
JOIN process_track AS track ON track.upid = cuj.upid AND track.name = cuj.name
JOIN slice AS mark ON mark.track_id = track.id
WHERE mark.name GLOB 'FT#*' AND mark.ts >= cuj.ts AND mark.ts <= cuj.ts_end;

-- Details of each CUJ, combined from its marker instants.
CREATE PERFETTO TABLE _cuj_facts AS
SELECT
  cuj_slice_id,
  max(CASE WHEN name GLOB '*FT#cancel*' THEN 1 ELSE 0 END) AS was_canceled,
  max(CASE WHEN name GLOB '*FT#end*' THEN 1 ELSE 0 END) AS was_completed,
  max(CAST(nullif(split_part(name, 'layerId#', 2), '') AS BIGINT)) AS layer_id,
  max(CAST(nullif(split_part(name, 'beginVsync#', 2), '') AS BIGINT)) AS begin_vsync,
  max(CAST(nullif(split_part(name, 'endVsync#', 2), '') AS BIGINT)) AS end_vsync,
  max(CASE WHEN name GLOB '*#UIThread' THEN utid END) AS ui_thread
FROM _cuj_marks
GROUP BY cuj_slice_id;

-- Frames of a CUJ: frames of its process between the vsyncs that the markers name, else frames that
-- overlap the CUJ slice. Only frames of the monitored layer, if a marker names one.
CREATE PERFETTO TABLE _cuj_frames AS
SELECT
  cuj.id AS cuj_slice_id,
  frame.frame_id,
  frame.ts,
  frame.ts_end,
  frame.do_frame_id,
  frame.expected_frame_timeline_id,
  frame.ui_thread_utid,
  frame.layer_id,
  frame.layer_name
FROM _jank_cuj_slices AS cuj
JOIN android_frames_layers AS frame ON frame.upid = cuj.upid
LEFT JOIN _cuj_facts AS fact ON fact.cuj_slice_id = cuj.id
WHERE
  (fact.layer_id IS NULL OR frame.layer_id = fact.layer_id)
  AND frame.ts_end > cuj.ts
  AND frame.ts < cuj.ts_end
  AND (fact.begin_vsync IS NULL OR frame.frame_id >= fact.begin_vsync)
  AND (fact.end_vsync IS NULL OR frame.frame_id <= fact.end_vsync);

-- A CUJ that was monitored for jank.
CREATE PERFETTO TABLE android_jank_cuj(
  -- Number of the CUJ, in order of time.
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
  -- Expected start of the first frame, ns in trace time; start of the slice if the CUJ has no
  -- frames.
  ts TIMESTAMP,
  -- End of the last frame, ns in trace time; end of the slice if the CUJ has no frames.
  ts_end TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Result: `completed` or `canceled`; NULL if no marker states it.
  state STRING,
  -- Thread that produces the frames of the CUJ; join with `thread` on `utid`.
  ui_thread JOINID(thread.id),
  -- Id of the monitored layer; NULL if no marker names a layer.
  layer_id LONG,
  -- Vsync id of the first frame.
  begin_vsync LONG,
  -- Vsync id of the last frame.
  end_vsync LONG
) AS
WITH framed AS (
  SELECT
    frames.cuj_slice_id,
    min(coalesce(expected.ts, frames.ts)) AS ts,
    max(frames.ts_end) AS ts_end,
    min(frames.frame_id) AS begin_vsync,
    max(frames.frame_id) AS end_vsync,
    min(frames.ui_thread_utid) AS ui_thread
  FROM _cuj_frames AS frames
  LEFT JOIN slice AS expected ON expected.id = frames.expected_frame_timeline_id
  GROUP BY frames.cuj_slice_id
)
SELECT
  row_number() OVER (ORDER BY cuj.ts, cuj.id) AS cuj_id,
  cuj.upid,
  cuj.process_name,
  cuj.name AS cuj_slice_name,
  substr(cuj.name, 3, length(cuj.name) - 3) AS cuj_name,
  cuj.id AS slice_id,
  coalesce(framed.ts, cuj.ts) AS ts,
  coalesce(framed.ts_end, cuj.ts_end) AS ts_end,
  coalesce(framed.ts_end, cuj.ts_end) - coalesce(framed.ts, cuj.ts) AS dur,
  CASE
    WHEN fact.was_canceled = 1 THEN 'canceled'
    WHEN fact.was_completed = 1 THEN 'completed'
  END AS state,
  coalesce(fact.ui_thread, framed.ui_thread) AS ui_thread,
  fact.layer_id,
  framed.begin_vsync,
  framed.end_vsync
FROM _jank_cuj_slices AS cuj
LEFT JOIN _cuj_facts AS fact ON fact.cuj_slice_id = cuj.id
LEFT JOIN framed ON framed.cuj_slice_id = cuj.id
-- On builds without markers, a CUJ shorter than 4 ms was canceled.
WHERE fact.was_completed = 1 OR fact.was_canceled = 1 OR cuj.dur >= 4000000
ORDER BY 1;
