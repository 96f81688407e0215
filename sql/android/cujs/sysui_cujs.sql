-- What users do in Android's own interface: journeys watched for janky frames, and those watched
-- for how long they take.

INCLUDE PERFETTO MODULE android.cujs.base;

-- A journey that was watched for janky frames.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
  -- The journey's number, in order of time.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The slice's name, `J<name>`.
  cuj_slice_name STRING,
  -- The journey's name.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- When its first frame was expected to begin.
  ts TIMESTAMP,
  -- When its last frame ended.
  ts_end TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- `completed` or `canceled`; NULL where marks do not tell.
  state STRING,
  -- The thread that makes its frames.
  ui_thread JOINID(thread.id),
  -- The watched layer's number.
  layer_id LONG,
  -- The number of its first frame.
  begin_vsync LONG,
  -- The number of its last frame.
  end_vsync LONG
) AS
SELECT
  cuj_id, upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread,
  layer_id, begin_vsync, end_vsync
FROM android_jank_cuj
ORDER BY cuj_id;

-- A journey that was watched for how long it takes.
CREATE PERFETTO TABLE android_sysui_latency_cujs(
  -- The journey's number, in order of time.
  cuj_id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The slice's name, `L<name>`.
  cuj_slice_name STRING,
  -- The journey's name.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- When it ended.
  ts_end TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- `completed`: those that were given up are not told apart.
  state STRING
) AS
SELECT
  row_number() OVER (ORDER BY slice.ts, slice.id) AS cuj_id,
  process.upid,
  process.name AS process_name,
  slice.name AS cuj_slice_name,
  substr(slice.name, 3, length(slice.name) - 3) AS cuj_name,
  slice.id AS slice_id,
  slice.ts,
  slice.ts + slice.dur AS ts_end,
  slice.dur,
  'completed' AS state
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process USING (upid)
WHERE
  slice.name GLOB 'L<*>'
  AND slice.dur > 0
  AND (process.name GLOB 'com.android.*' OR process.name GLOB 'com.google.android*')
ORDER BY 1;

-- A journey of either kind.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  -- The journey's number, in order of time.
  cuj_id LONG,
  -- The same as `cuj_id`.
  id LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The slice's name.
  cuj_slice_name STRING,
  -- The journey's name.
  cuj_name STRING,
  -- The slice.
  slice_id JOINID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- When it ended.
  ts_end TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- `completed` or `canceled`; NULL where marks do not tell.
  state STRING,
  -- The thread that makes its frames; of those watched for time, the process's main thread.
  ui_thread JOINID(thread.id),
  -- The watched layer's number.
  layer_id LONG,
  -- The number of its first frame.
  begin_vsync LONG,
  -- The number of its last frame.
  end_vsync LONG,
  -- `jank` or `latency`: what it was watched for.
  cuj_type STRING
) AS
WITH both_kinds AS (
  SELECT
    upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread,
    layer_id, begin_vsync, end_vsync, 'jank' AS cuj_type
  FROM android_sysui_jank_cujs
  UNION ALL
  SELECT
    cuj.upid, cuj.process_name, cuj.cuj_slice_name, cuj.cuj_name, cuj.slice_id, cuj.ts, cuj.ts_end,
    cuj.dur, cuj.state, thread.utid AS ui_thread, CAST(NULL AS BIGINT) AS layer_id,
    CAST(NULL AS BIGINT) AS begin_vsync, CAST(NULL AS BIGINT) AS end_vsync, 'latency' AS cuj_type
  FROM android_sysui_latency_cujs AS cuj
  LEFT JOIN thread ON thread.upid = cuj.upid AND thread.is_main_thread = 1
)
SELECT
  row_number() OVER (ORDER BY ts, slice_id) AS cuj_id,
  row_number() OVER (ORDER BY ts, slice_id) AS id,
  *
FROM both_kinds
ORDER BY 1;
