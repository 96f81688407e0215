-- What memory processes use.

-- What memory a process used, from one change of any of the counters to the next.
CREATE PERFETTO TABLE _memory_rss_and_swap_per_process_table AS
WITH
  -- A row for each moment at which the process has a new value of any.
  changes AS (
    SELECT
      t.upid,
      c.ts,
      max(CASE WHEN t.name = 'mem.rss.anon' THEN c.value END) AS anon_rss,
      max(CASE WHEN t.name = 'mem.rss.file' THEN c.value END) AS file_rss,
      max(CASE WHEN t.name = 'mem.rss.shmem' THEN c.value END) AS shmem_rss,
      max(CASE WHEN t.name = 'mem.swap' THEN c.value END) AS swap
    FROM counter AS c
    JOIN process_counter_track AS t ON t.id = c.track_id
    WHERE t.name IN ('mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap')
    GROUP BY t.upid, c.ts
  ),
  lasting AS (
    SELECT
      c.ts,
      coalesce(
        lead(c.ts) OVER (PARTITION BY c.upid ORDER BY c.ts), p.end_ts + 1, trace_end() + 1
      ) - c.ts AS dur,
      c.upid,
      last_value(c.anon_rss) IGNORE NULLS OVER so_far AS anon_rss,
      last_value(c.file_rss) IGNORE NULLS OVER so_far AS file_rss,
      last_value(c.shmem_rss) IGNORE NULLS OVER so_far AS shmem_rss,
      last_value(c.swap) IGNORE NULLS OVER so_far AS swap
    FROM changes AS c
    JOIN process AS p ON p.upid = c.upid
    WINDOW so_far AS (
      PARTITION BY c.upid ORDER BY c.ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
  )
SELECT
  ts, dur, upid,
  CAST(anon_rss AS INT) AS anon_rss,
  CAST(file_rss AS INT) AS file_rss,
  CAST(shmem_rss AS INT) AS shmem_rss,
  CAST(swap AS INT) AS swap
FROM lasting
WHERE dur > 0
ORDER BY upid, ts;

-- What memory a process used, from one change to the next. What the trace does not say is NULL,
-- and so are sums of it, except that shared memory and swap count as none.
CREATE PERFETTO VIEW memory_rss_and_swap_per_process(
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
  -- Its own memory that no file backs, in bytes.
  anon_rss LONG,
  -- Memory that files back, in bytes.
  file_rss LONG,
  -- Memory shared with others that no file backs, in bytes.
  shmem_rss LONG,
  -- The three together, in bytes.
  rss LONG,
  -- Memory that was written to a disk or packed away, in bytes.
  swap LONG,
  -- `anon_rss` and `swap` together, in bytes.
  anon_rss_and_swap LONG,
  -- `rss` and `swap` together, in bytes.
  rss_and_swap LONG
) AS
SELECT
  m.ts, m.dur, m.upid, p.pid, p.name AS process_name,
  m.anon_rss, m.file_rss, m.shmem_rss,
  m.anon_rss + m.file_rss + coalesce(m.shmem_rss, 0) AS rss,
  m.swap,
  m.anon_rss + coalesce(m.swap, 0) AS anon_rss_and_swap,
  m.anon_rss + m.file_rss + coalesce(m.shmem_rss, 0) + coalesce(m.swap, 0) AS rss_and_swap
FROM _memory_rss_and_swap_per_process_table AS m
JOIN process AS p ON p.upid = m.upid;
