-- Frequency and requests of the TPU (a unit that runs neural networks) over time.

INCLUDE PERFETTO MODULE intervals.overlap;

-- Slices of the driver on the track `DVFS`, one for each period at a frequency.
CREATE PERFETTO VIEW _tpu_dvfs_slices AS
SELECT
  slice.ts,
  CASE slice.dur WHEN -1 THEN trace_end() ELSE slice.ts + slice.dur END AS end_ts,
  CAST(slice.name AS INT) AS freq,
  CASE
    WHEN slice.name GLOB '*Cluster Both*' THEN 2
    WHEN slice.name GLOB '*Cluster [01]*' THEN CAST(str_split(slice.name, 'Cluster ', 1) AS INT)
    ELSE 2
  END AS cluster
FROM slice
JOIN track ON track.id = slice.track_id
WHERE track.name = 'DVFS';

-- A period in which the TPU had a constant frequency. The periods cover the trace; no rows if the
-- TPU was not recorded.
CREATE PERFETTO TABLE _tpu_freq(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency, the number at the start of the name of the slice; 0 when off.
  freq LONG,
  -- Cluster: 0, 1, or 2 for both; 0 when off.
  cluster LONG
) AS
WITH periods AS (
  SELECT ts, end_ts, freq, cluster
  FROM _tpu_dvfs_slices
  UNION ALL
  SELECT end_ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts), 0, 0
  FROM _tpu_dvfs_slices
  UNION ALL
  SELECT trace_start(), min(ts), 0, 0
  FROM _tpu_dvfs_slices
)
SELECT ts, end_ts - ts AS dur, freq, cluster
FROM periods
WHERE end_ts > ts
ORDER BY ts;

-- A period in which a constant number of requests ran on the TPU. The periods cover the trace.
CREATE PERFETTO TABLE _tpu_requests_count(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Number of requests, at most 16.
  requests LONG
) AS
WITH
  changes AS (
    SELECT trace_start() AS ts, 0 AS requests
    UNION ALL
    SELECT ts, value
    FROM intervals_overlap_count!(
      (
        SELECT slice.ts, slice.dur
        FROM slice
        JOIN track ON track.id = slice.track_id
        WHERE track.name = 'TPU Requests'
      ),
      ts,
      dur
    )
  ),
  counts AS (
    SELECT ts, max(requests) AS requests
    FROM changes
    GROUP BY ts
  )
SELECT ts, dur, requests
FROM (
  SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur, min(requests, 16) AS requests
  FROM counts
)
WHERE dur > 0;
