-- CUJs of the Android system UI: those monitored for jank and those monitored for latency.

INCLUDE PERFETTO MODULE android.cujs.base;

-- A CUJ of the system UI that was monitored for jank.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
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
  -- Expected start of the first frame, ns in trace time.
  ts TIMESTAMP,
  -- End of the last frame, ns in trace time.
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
SELECT
  cuj_id, upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread,
  layer_id, begin_vsync, end_vsync
FROM android_jank_cuj
ORDER BY cuj_id;

-- A CUJ of the system UI that was monitored for latency.
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
  -- Always `completed`: canceled CUJs cannot be distinguished.
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

-- A CUJ of the system UI that was monitored for jank or latency.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  -- Number of the CUJ, in order of time.
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
  -- Result: `completed` or `canceled`; NULL if no marker states it.
  state STRING,
  -- Thread that produces the frames; for a latency CUJ, the main thread of the process. Join with
  -- `thread` on `utid`.
  ui_thread JOINID(thread.id),
  -- Id of the monitored layer; NULL if no marker names a layer.
  layer_id LONG,
  -- Vsync id of the first frame.
  begin_vsync LONG,
  -- Vsync id of the last frame.
  end_vsync LONG,
  -- Kind of monitoring: `jank` or `latency`.
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
