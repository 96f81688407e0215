-- The slices by which the activity manager marks an app's launch.

-- A launch, from `launching: <package>` of the system server.
CREATE PERFETTO TABLE _startup_events(
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- When it ended.
  ts_end TIMESTAMP,
  -- The package that was launched.
  package_name STRING
) AS
SELECT
  slice.ts,
  slice.dur,
  slice.ts + slice.dur AS ts_end,
  substr(slice.name, length('launching: ') + 1) AS package_name
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process USING (upid)
WHERE
  slice.name GLOB 'launching: *'
  AND (process.name IS NULL OR process.name = 'system_server')
ORDER BY slice.ts;
