-- Critical user journeys (CUJs) that are monitored for jank. Apps mark them with slices `J<name>`.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- Returns the name in a CUJ slice `J<name>` or `L<name>`.
CREATE PERFETTO FUNCTION _extract_cuj_name_from_slice(
  -- Name of the slice.
  cuj_slice_name STRING
)
-- Name of the CUJ.
RETURNS STRING AS
SELECT substr($cuj_slice_name, 3, length($cuj_slice_name) - 3);

-- CUJ slices of system processes and Google apps, numbered in order of time.
CREATE PERFETTO TABLE _jank_cujs_slices AS
SELECT
  row_number() OVER (ORDER BY slice.ts, slice.id) AS cuj_id,
  process.upid,
  process.name AS process_name,
  slice.id AS slice_id,
  slice.name AS cuj_slice_name,
  slice.ts,
  slice.dur,
  slice.ts + slice.dur AS ts_end
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process ON process.upid = track.upid
WHERE
  slice.name GLOB 'J<*>'
  AND slice.dur > 0
  AND (process.name GLOB 'com.android.*' OR process.name GLOB 'com.google.android*');

-- Instants with details of CUJs, and the name of the CUJ slice they belong to, which is in their
-- own name or is that of their track.
CREATE PERFETTO TABLE _cuj_marks AS
SELECT
  mark.id,
  mark.ts,
  mark.name,
  mark.track_id,
  CASE
    WHEN mark.name GLOB 'FT#*' THEN track.name
    WHEN mark.name GLOB '*#FT#*' THEN split_part(mark.name, '#FT#', 1)
    ELSE split_part(mark.name, '#UIThread', 1)
  END AS cuj_slice_name
FROM slice AS mark
JOIN track ON track.id = mark.track_id
WHERE mark.name GLOB 'FT#*' OR mark.name GLOB '*#FT#*' OR mark.name GLOB '*#UIThread';

-- Marks of each CUJ: `begin`, `deferMonitoring`, `end`, `cancel`, `layerId`, `UIThread` or `other`,
-- with the thread of a mark on the track of a thread.
CREATE PERFETTO TABLE _cuj_state_markers AS
SELECT
  cuj.cuj_id,
  cuj.upid,
  CASE
    WHEN mark.name GLOB '*FT#begin*' THEN 'begin'
    WHEN mark.name GLOB '*FT#deferMonitoring*' THEN 'deferMonitoring'
    WHEN mark.name GLOB '*FT#end*' THEN 'end'
    WHEN mark.name GLOB '*FT#cancel*' THEN 'cancel'
    WHEN mark.name GLOB '*FT#layerId*' THEN 'layerId'
    WHEN mark.name GLOB '*#UIThread' THEN 'UIThread'
    ELSE 'other'
  END AS marker_type,
  mark.name AS marker_name,
  thread_track.utid
FROM _jank_cujs_slices AS cuj
JOIN _cuj_marks AS mark
  ON mark.cuj_slice_name = cuj.cuj_slice_name AND mark.ts >= cuj.ts AND mark.ts < cuj.ts_end
LEFT JOIN thread_track ON thread_track.id = mark.track_id;

-- Details of each CUJ from its marks.
CREATE PERFETTO TABLE _cuj_instant_events AS
SELECT
  cuj.cuj_id,
  cuj.upid,
  max(CAST(nullif(split_part(mark.marker_name, 'layerId#', 2), '') AS BIGINT)) AS layer_id,
  max(CAST(nullif(split_part(mark.marker_name, 'beginVsync#', 2), '') AS BIGINT)) AS begin_vsync,
  max(CAST(nullif(split_part(mark.marker_name, 'endVsync#', 2), '') AS BIGINT)) AS end_vsync,
  max(CASE WHEN mark.marker_type = 'UIThread' THEN mark.utid END) AS ui_thread
FROM _jank_cujs_slices AS cuj
LEFT JOIN _cuj_state_markers AS mark ON mark.cuj_id = cuj.cuj_id
GROUP BY cuj.cuj_id, cuj.upid;

-- Result of each CUJ: `canceled`, `completed`, or NULL without a mark that states it.
CREATE PERFETTO TABLE _cuj_states AS
SELECT
  cuj.cuj_id,
  CASE
    WHEN count(*) FILTER (WHERE mark.marker_type = 'cancel') > 0 THEN 'canceled'
    WHEN count(*) FILTER (WHERE mark.marker_type = 'end') > 0 THEN 'completed'
  END AS state
FROM _jank_cujs_slices AS cuj
LEFT JOIN _cuj_state_markers AS mark ON mark.cuj_id = cuj.cuj_id
GROUP BY cuj.cuj_id;

-- A CUJ that was monitored for jank and not canceled.
CREATE PERFETTO TABLE android_jank_cuj(
  -- Number of the CUJ, in order of time. Canceled CUJs are numbered too.
  cuj_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Slice; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Name of the CUJ slice, `J<name>`.
  cuj_slice_name STRING,
  -- Start of the slice, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the slice, ns.
  dur DURATION,
  -- End of the slice, ns in trace time.
  ts_end TIMESTAMP,
  -- Name of the CUJ.
  cuj_name STRING,
  -- Result: `completed`; NULL if no mark states it.
  state STRING,
  -- Thread that produces the frames of the CUJ; NULL if no mark states it. Join with `thread` on
  -- `utid`.
  ui_thread JOINID(thread.id),
  -- Number of the monitored layer; NULL if no mark states it.
  layer_id LONG,
  -- Vsync id of the first frame; NULL if no mark states it.
  begin_vsync LONG,
  -- Vsync id of the last frame; NULL if no mark states it.
  end_vsync LONG
) AS
SELECT
  cuj.cuj_id,
  cuj.upid,
  cuj.process_name,
  cuj.slice_id,
  cuj.cuj_slice_name,
  cuj.ts,
  cuj.dur,
  cuj.ts_end,
  _extract_cuj_name_from_slice(cuj.cuj_slice_name) AS cuj_name,
  result.state,
  detail.ui_thread,
  detail.layer_id,
  detail.begin_vsync,
  detail.end_vsync
FROM _jank_cujs_slices AS cuj
JOIN _cuj_states AS result ON result.cuj_id = cuj.cuj_id
JOIN _cuj_instant_events AS detail ON detail.cuj_id = cuj.cuj_id
-- On builds without marks, a CUJ of up to 4 ms was canceled.
WHERE result.state = 'completed' OR result.state IS NULL AND cuj.dur > 4000000
ORDER BY cuj.cuj_id;

-- Frames and layers that the stated thread of a CUJ produced between the stated vsyncs, and that
-- start or end during the CUJ.
CREATE PERFETTO TABLE _cuj_frame_layers AS
SELECT
  cuj.cuj_id,
  _extract_cuj_name_from_slice(cuj.cuj_slice_name) AS cuj_name,
  cuj.upid,
  cuj.process_name,
  detail.layer_id AS cuj_layer_id,
  frame.layer_id,
  frame.layer_name,
  frame.frame_id,
  frame.do_frame_id,
  frame.expected_frame_timeline_id,
  frame.ui_thread_utid,
  frame.render_thread_utid,
  frame.ts,
  frame.ts_end
FROM _jank_cujs_slices AS cuj
JOIN _cuj_instant_events AS detail ON detail.cuj_id = cuj.cuj_id
JOIN android_frames_layers AS frame ON frame.ui_thread_utid = detail.ui_thread
WHERE
  frame.layer_id IS NOT NULL
  AND frame.frame_id BETWEEN detail.begin_vsync AND detail.end_vsync
  AND (frame.ts BETWEEN cuj.ts AND cuj.ts_end OR frame.ts_end BETWEEN cuj.ts AND cuj.ts_end);

-- Frames of each CUJ, over all layers. `frame_idx` is the number of the frame in the CUJ, from 1;
-- `frame_cnt` is the number of frames of the CUJ. Of several layers, the layer is the first one.
CREATE PERFETTO TABLE _android_distinct_frames_in_cuj AS
WITH layers AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY cuj_id, frame_id ORDER BY ts, layer_id) AS nth,
    min(ts) OVER (PARTITION BY cuj_id, frame_id) AS first_ts,
    max(ts_end) OVER (PARTITION BY cuj_id, frame_id) AS last_ts_end
  FROM _cuj_frame_layers
)
SELECT
  row_number() OVER (PARTITION BY cuj_id ORDER BY first_ts, frame_id) AS frame_idx,
  count(*) OVER (PARTITION BY cuj_id) AS frame_cnt,
  cuj_name,
  upid,
  cuj_layer_id,
  layer_id,
  layer_name,
  process_name,
  frame_id,
  do_frame_id,
  expected_frame_timeline_id,
  cuj_id,
  ui_thread_utid,
  render_thread_utid,
  first_ts AS frame_ts,
  last_ts_end AS ts_end,
  last_ts_end - first_ts AS dur
FROM layers
WHERE nth = 1
ORDER BY cuj_id, first_ts, frame_id;

-- `Choreographer#doFrame` slices of each CUJ: those of the stated thread, else of the main thread,
-- that overlap the CUJ and are between the stated vsyncs.
CREATE PERFETTO TABLE _android_jank_cuj_do_frames AS
SELECT
  cuj.cuj_id,
  detail.ui_thread,
  thread.utid,
  do_frame.id,
  do_frame.frame_id AS vsync,
  do_frame.ts,
  do_frame.upid,
  slice.ts + slice.dur AS ts_end,
  slice.track_id
FROM _jank_cujs_slices AS cuj
JOIN _cuj_instant_events AS detail ON detail.cuj_id = cuj.cuj_id
JOIN thread ON thread.upid = cuj.upid
JOIN android_frames_choreographer_do_frame AS do_frame ON do_frame.ui_thread_utid = thread.utid
JOIN slice ON slice.id = do_frame.id
WHERE
  (detail.ui_thread = thread.utid OR detail.ui_thread IS NULL AND thread.is_main_thread = 1)
  AND slice.ts + slice.dur >= cuj.ts
  AND slice.ts <= cuj.ts_end
  AND (detail.begin_vsync IS NULL OR do_frame.frame_id >= detail.begin_vsync)
  AND (detail.end_vsync IS NULL OR do_frame.frame_id <= detail.end_vsync)
ORDER BY cuj.cuj_id, do_frame.ts;

-- The layer that a CUJ draws: the layer that a mark states, else the only layer of each frame of
-- the CUJ. A CUJ that draws several layers at once has no row.
CREATE PERFETTO TABLE android_jank_cuj_layer_name(
  -- Number of the CUJ; join with `android_jank_cuj` on `cuj_id`.
  cuj_id LONG,
  -- Name of the layer.
  layer_name STRING
) AS
WITH layers_of_frames AS (
  SELECT cuj_id, frame_id, max(layer_name) AS layer_name, count(DISTINCT layer_name) AS layers
  FROM _cuj_frame_layers
  WHERE cuj_layer_id IS NULL
  GROUP BY cuj_id, frame_id
)
SELECT cuj_id, max(layer_name) AS layer_name
FROM _cuj_frame_layers
WHERE layer_id = cuj_layer_id
GROUP BY cuj_id
UNION ALL
SELECT cuj_id, max(layer_name) AS layer_name
FROM layers_of_frames
GROUP BY cuj_id
HAVING max(layers) = 1
ORDER BY cuj_id;
