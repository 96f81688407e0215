-- DMA-BUF memory of processes over time.

INCLUDE PERFETTO MODULE counters.intervals;

-- A period in which the DMA-BUF memory of a process was constant.
CREATE PERFETTO TABLE _dmabuf_spans(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Memory in bytes.
  dmabuf_rss LONG
) AS
SELECT track.upid, period.ts, period.dur, CAST(period.value AS BIGINT) AS dmabuf_rss
FROM counter_leading_intervals!((
  SELECT counter.*
  FROM counter
  JOIN process_counter_track AS of_process ON of_process.id = counter.track_id
  WHERE of_process.name = 'mem.dmabuf_rss'
)) AS period
JOIN process_counter_track AS track ON track.id = period.track_id
ORDER BY period.ts;
