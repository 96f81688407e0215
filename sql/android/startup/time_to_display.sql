-- Time from the start of a startup to the initial and the full display.

INCLUDE PERFETTO MODULE android.frames.timeline;

INCLUDE PERFETTO MODULE android.startup.startups;

-- Startups with their processes; if no process is known, processes with the name of the package.
CREATE PERFETTO TABLE _startups_with_process AS
SELECT startup.startup_id, startup.ts, coalesce(known.upid, named.upid) AS upid
FROM android_startups AS startup
LEFT JOIN android_startup_processes AS known ON known.startup_id = startup.startup_id
LEFT JOIN process AS named ON named.name = startup.package;

-- First frame of the process after the start of each startup, with the time until its drawing
-- ended.
CREATE PERFETTO TABLE _initial_displays AS
WITH frames AS (
  SELECT
    startup.startup_id,
    startup.upid,
    startup.ts,
    frame.frame_id,
    frame.draw_frame_id,
    row_number() OVER (PARTITION BY startup.startup_id ORDER BY frame.ts, frame.frame_id) AS nth
  FROM _startups_with_process AS startup
  JOIN android_frames AS frame ON frame.upid = startup.upid AND frame.ts >= startup.ts
)
SELECT frames.startup_id, frames.upid, frames.frame_id, slice.ts + slice.dur - frames.ts AS dur
FROM frames
JOIN slice ON slice.id = frames.draw_frame_id
WHERE frames.nth = 1;

-- First `reportFullyDrawn` slice on a main thread after the start of each startup.
CREATE PERFETTO TABLE _reports_of_full_display AS
WITH reports AS (
  SELECT
    startup.startup_id,
    startup.ts AS startup_ts,
    slice.ts,
    thread.utid,
    row_number() OVER (PARTITION BY startup.startup_id ORDER BY slice.ts) AS nth
  FROM _startups_with_process AS startup
  JOIN thread ON thread.upid = startup.upid AND thread.is_main_thread = 1
  JOIN thread_track AS track ON track.utid = thread.utid
  JOIN slice ON slice.track_id = track.id AND slice.ts >= startup.ts
  WHERE slice.name GLOB 'reportFullyDrawn*'
)
SELECT * FROM reports WHERE nth = 1;

-- First frame of that thread that had not ended at the report, with the time until its drawing
-- ended.
CREATE PERFETTO TABLE _full_displays AS
WITH frames AS (
  SELECT
    report.startup_id,
    report.startup_ts,
    frame.frame_id,
    frame.draw_frame_id,
    row_number() OVER (PARTITION BY report.startup_id ORDER BY frame.ts, frame.frame_id) AS nth
  FROM _reports_of_full_display AS report
  JOIN android_frames AS frame
    ON frame.ui_thread_utid = report.utid AND frame.ts + frame.dur > report.ts
)
SELECT frames.startup_id, frames.frame_id, slice.ts + slice.dur - frames.startup_ts AS dur
FROM frames
JOIN slice ON slice.id = frames.draw_frame_id
WHERE frames.nth = 1;

-- A startup with its time to initial and to full display.
CREATE PERFETTO TABLE android_startup_time_to_display(
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id LONG,
  -- Time from the start of the startup until its first frame was drawn, ns.
  time_to_initial_display DURATION,
  -- Time from the start of the startup until the frame with the `reportFullyDrawn` call was drawn,
  -- ns; NULL without such a call.
  time_to_full_display DURATION,
  -- Frame of the initial display; join with `android_frames` on `frame_id`.
  ttid_frame_id JOINID(android_frames.frame_id),
  -- Frame of the full display; join with `android_frames` on `frame_id`.
  ttfd_frame_id JOINID(android_frames.frame_id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id)
) AS
SELECT
  startup.startup_id,
  initial.dur AS time_to_initial_display,
  complete.dur AS time_to_full_display,
  initial.frame_id AS ttid_frame_id,
  complete.frame_id AS ttfd_frame_id,
  initial.upid
FROM android_startups AS startup
LEFT JOIN _initial_displays AS initial ON initial.startup_id = startup.startup_id
LEFT JOIN _full_displays AS complete ON complete.startup_id = startup.startup_id
ORDER BY startup.startup_id;
