-- The most memory that processes had used so far.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE linux.memory.process;

-- The most memory that a process had used so far, from one change to the next.
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

-- The most memory that a process had used so far, from one change to the next.
CREATE PERFETTO VIEW memory_rss_high_watermark_per_process(
  -- When it became so.
  ts TIMESTAMP,
  -- For how long.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- The kernel's number for the process.
  pid LONG,
  -- The process's name.
  process_name STRING,
  -- The most memory it had used up to then, without swap, in bytes.
  rss_high_watermark LONG
) AS
SELECT w.ts, w.dur, w.upid, p.pid, p.name AS process_name, w.rss_high_watermark
FROM _memory_rss_high_watermark_per_process_table AS w
JOIN process AS p ON p.upid = w.upid;
