-- Slices of the threads of apps and of SurfaceFlinger during CUJs.

INCLUDE PERFETTO MODULE android.cujs.boundaries;

INCLUDE PERFETTO MODULE android.cujs.threads;

-- Returns the slices of threads that overlap or touch a period of the thread: `cuj_id`, `upid`,
-- `process_name`, `utid`, `thread_name`, the columns of `slice`, and `ts_end`. Slices that start
-- before the period are included: they may delay a frame. Instants are left out.
CREATE PERFETTO MACRO _cuj_slices_of_threads(
  -- Periods with columns `cuj_id`, `utid`, `ts` and `ts_end`.
  periods TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __period.cuj_id,
    thread.upid,
    process.name AS process_name,
    thread.utid,
    thread.name AS thread_name,
    slice.*,
    slice.ts + slice.dur AS ts_end
  FROM $periods AS __period
  JOIN thread ON thread.utid = __period.utid
  LEFT JOIN process ON process.upid = thread.upid
  JOIN thread_track ON thread_track.utid = thread.utid
  JOIN slice
    ON slice.track_id = thread_track.id
    AND slice.ts + slice.dur >= __period.ts
    AND slice.ts <= __period.ts_end
  WHERE slice.dur > 0
);

-- Slices of all threads of the app of each CUJ, during the CUJ.
CREATE PERFETTO TABLE _android_jank_cuj_slice AS
SELECT
  cuj_id, upid, process_name, utid, thread_name, id, ts, dur, track_id, name, depth, parent_id,
  arg_set_id, thread_ts, thread_dur, slice_id, ts_end
FROM _cuj_slices_of_threads!((
  SELECT period.cuj_id, thread.utid, period.ts, period.ts_end
  FROM _android_jank_cuj_boundary AS period
  JOIN thread ON thread.upid = period.upid
))
ORDER BY cuj_id, ts, id;

-- Slices of the main thread of each CUJ, during the CUJ on that thread.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_slice AS
SELECT
  cuj_id, upid, utid, id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id,
  thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta, cat, slice_id, ts_end
FROM _cuj_slices_of_threads!(_android_jank_cuj_main_thread_cuj_boundary)
ORDER BY cuj_id, ts, id;

-- Slices of the render thread of each CUJ, during the CUJ on that thread.
CREATE PERFETTO TABLE _android_jank_cuj_render_thread_slice AS
SELECT
  cuj_id, upid, utid, id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id,
  thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta, cat, slice_id, ts_end
FROM _cuj_slices_of_threads!(_android_jank_cuj_render_thread_cuj_boundary)
ORDER BY cuj_id, ts, id;

-- Slices of all threads of SurfaceFlinger, during each CUJ there.
CREATE PERFETTO TABLE _android_jank_cuj_sf_slice AS
SELECT
  cuj_id, upid, process_name, utid, thread_name, id, ts, dur, track_id, name, depth, parent_id,
  arg_set_id, thread_ts, thread_dur, slice_id, ts_end
FROM _cuj_slices_of_threads!((
  SELECT period.cuj_id, thread.utid, period.ts, period.ts_end
  FROM _android_jank_cuj_sf_boundary AS period
  CROSS JOIN _android_sf_process AS compositor
  JOIN thread ON thread.upid = compositor.upid
))
ORDER BY cuj_id, ts, id;

-- Slices of the main thread of SurfaceFlinger, during each CUJ there.
CREATE PERFETTO TABLE _android_jank_cuj_sf_main_thread_slice AS
SELECT
  cuj_id, upid, utid, id, ts, dur, track_id, name, depth, parent_id, arg_set_id, thread_ts,
  thread_dur, slice_id, ts_end
FROM _cuj_slices_of_threads!(_android_jank_cuj_sf_main_thread_cuj_boundary)
ORDER BY cuj_id, ts, id;

-- Slices of the render engine of SurfaceFlinger, during each of its frames for a CUJ. The render
-- engine works for few frames, so the whole CUJ would be too long.
CREATE PERFETTO TABLE _android_jank_cuj_sf_render_engine_slice AS
SELECT
  cuj_id, upid, utid, id, ts, dur, track_id, name, depth, parent_id, arg_set_id, thread_ts,
  thread_dur, slice_id, ts_end
FROM _cuj_slices_of_threads!(_android_jank_cuj_sf_render_engine_frame_boundary)
ORDER BY cuj_id, ts, id;
