-- CPU time of each user id on each cluster of CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- A counter track with the CPU time of a user id on a cluster.
CREATE PERFETTO TABLE android_cpu_per_uid_track(
  -- Counter track; join with `android_cpu_per_uid_counter` on `track_id`.
  id LONG,
  -- User id.
  uid LONG,
  -- Number of the cluster, from 0. Higher numbers are usually faster CPUs.
  cluster LONG,
  -- Total CPU time in the trace, ms.
  total_cpu_millis LONG,
  -- Package with the app id of the user id, the first one if several packages share the app id;
  -- NULL for user ids below 10000 and for unknown packages.
  package_name STRING
) AS
WITH first_of_app AS (
  SELECT uid, package_name, row_number() OVER (PARTITION BY uid ORDER BY id) AS nth
  FROM package_list
)
SELECT
  track.track_id AS id,
  track.uid,
  track.cluster,
  track.total_cpu_millis,
  package.package_name
FROM __intrinsic_android_cpu_per_uid_track AS track
LEFT JOIN first_of_app AS package
  ON package.uid = track.uid % 100000 AND package.nth = 1 AND track.uid >= 10000
ORDER BY 1;

-- The CPU time of a user id on a cluster between two measurements.
CREATE PERFETTO VIEW android_cpu_per_uid_counter(
  -- Counter value at the start; join with `counter` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts LONG,
  -- Time until the next measurement of the track, ns.
  dur LONG,
  -- Track; join with `android_cpu_per_uid_track` on `id`.
  track_id LONG,
  -- CPU time in the period, ms.
  diff_ms LONG,
  -- Average number of CPUs in use in the period: 1.0 is one CPU all the time.
  cpu_ratio DOUBLE
) AS
SELECT
  period.id,
  period.ts,
  period.dur,
  period.track_id,
  CAST(period.next_value - period.value AS BIGINT) AS diff_ms,
  (period.next_value - period.value) * 1e6 / period.dur AS cpu_ratio
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN __intrinsic_android_cpu_per_uid_track AS track ON track.track_id = counter.track_id
)) AS period
WHERE period.next_value IS NOT NULL;
