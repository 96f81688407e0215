-- Jobs that the JobScheduler ran for apps.

-- A job that ran, from the slices `*job*<uid>package/service#id` of the system server.
CREATE PERFETTO TABLE android_job_scheduler_events(
  -- Job id assigned by the app.
  job_id LONG,
  -- User id of the app.
  uid LONG,
  -- Package of the app.
  package_name STRING,
  -- Service that runs the job.
  job_service_name STRING,
  -- Track of the job slices; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Slice of the job; join with `slice` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; until the end of the trace where the end is not in the trace.
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
