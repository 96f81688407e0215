-- Memory high watermarks of processes.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE linux.memory.process;

-- Highest resident memory of each process so far, from one change to the next.
CREATE PERFETTO TABLE _memory_rss_high_watermark_per_process_table AS
SELECT ts, dur, track_id AS upid, CAST(value AS INT) AS rss_high_watermark
FROM counter_leading_intervals!((
  SELECT
    0 AS id,
    ts,
    upid AS track_id,
    max(coalesce(anon_rss, 0) + coalesce(file_rss, 0) + coalesce(shmem_rss, 0)) OVER (
      PARTITION BY upid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS value
  FROM _memory_rss_and_swap_per_process_table
));

-- A period in which the highest resident memory of a process so far did not change.
CREATE PERFETTO VIEW memory_rss_high_watermark_per_process(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- Highest resident memory so far, without swap, in bytes.
  rss_high_watermark LONG
) AS
SELECT w.ts, w.dur, w.upid, p.pid, p.name AS process_name, w.rss_high_watermark
FROM _memory_rss_high_watermark_per_process_table AS w
JOIN process AS p ON p.upid = w.upid;
