-- The jobs that the system ran for apps.

-- A job that ran, from the system server's slices `*job*<uid>package/service#id`.
CREATE PERFETTO TABLE android_job_scheduler_events(
  -- The number the app gave it.
  job_id LONG,
  -- The app's user id.
  uid LONG,
  -- The app's package.
  package_name STRING,
  -- The service that does the job.
  job_service_name STRING,
  -- The track of jobs.
  track_id JOINID(track.id),
  -- The slice.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it ran; up to the trace's end where its end was not seen.
  dur DURATION
) AS
SELECT
  CAST(nullif(split_part(slice.name, '#', 2), '') AS BIGINT) AS job_id,
  CAST(nullif(split_part(split_part(slice.name, '<', 2), '>', 1), '') AS BIGINT) AS uid,
  nullif(split_part(split_part(slice.name, '>', 2), '/', 1), '') AS package_name,
  nullif(split_part(split_part(slice.name, '/', 2), '#', 1), '') AS job_service_name,
  slice.track_id,
  slice.id,
  slice.ts,
  CASE WHEN slice.dur < 0 THEN trace_end() - slice.ts ELSE slice.dur END AS dur
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process ON process.upid = track.upid
WHERE
  process.name = 'system_server'
  AND track.name = 'JobScheduler'
  AND slice.name GLOB '*job*'
ORDER BY slice.ts;
