-- Startups on Android 9 and earlier. Cold and warm startups have launch slices; hot startups have
-- none and are found by the resumed activity.

INCLUDE PERFETTO MODULE android.frames.timeline;

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- Activities that resumed on a main thread, with the first frame after it.
CREATE PERFETTO TABLE _resumes AS
SELECT
  slice.id,
  slice.ts,
  coalesce(process.name, thread.name, 'unknown') AS package,
  min(frame.ts) AS frame_ts,
  max(slice.ts + slice.dur) AS resume_end
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
LEFT JOIN process USING (upid)
JOIN android_frames AS frame ON frame.ts > slice.ts
WHERE slice.name = 'activityResume' AND thread.is_main_thread = 1
GROUP BY slice.id, slice.ts, process.name, thread.name;

-- A startup on Android 9 or earlier.
CREATE PERFETTO TABLE _startups_maxsdk28(
  -- Number of the startup from 0, in order of time.
  startup_id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Package name.
  package STRING,
  -- Always `hot`, or NULL for startups with a launch slice: these versions do not record the type.
  startup_type STRING
) AS
WITH resumed AS (
  SELECT resume.id, resume.ts, resume.package, max(frame.ts + frame.dur) AS ts_end
  FROM _resumes AS resume
  JOIN android_frames AS frame ON frame.ts = resume.frame_ts
  GROUP BY resume.id, resume.ts, resume.package
),
launched_resumes AS (
  SELECT DISTINCT resumed.id
  FROM resumed
  JOIN _startup_events AS launch ON resumed.ts BETWEEN launch.ts AND launch.ts_end
),
startups AS (
  SELECT ts, ts_end, package_name AS package, CAST(NULL AS TEXT) AS startup_type
  FROM _startup_events
  UNION ALL
  SELECT resumed.ts, resumed.ts_end, resumed.package, 'hot' AS startup_type
  FROM resumed
  LEFT JOIN launched_resumes USING (id)
  WHERE launched_resumes.id IS NULL
)
SELECT
  row_number() OVER (ORDER BY ts) - 1 AS startup_id,
  ts,
  ts_end,
  ts_end - ts AS dur,
  package,
  startup_type
FROM startups;
