-- Slices with which the activity manager marks the launch of an app.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- A launch of an app, from slice `launching: <package>` of the system server.
CREATE PERFETTO TABLE _startup_events(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- End, ns in trace time.
  ts_end TIMESTAMP,
  -- Package that was launched.
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
