-- Memory of processes.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE linux.memory.general;

-- Memory of each process, from one change of any counter to the next.
CREATE PERFETTO TABLE _memory_rss_and_swap_per_process_table AS
WITH
  -- One row for each time with a new value of any counter of the process.
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

-- A period in which the memory counters of a process did not change. Unknown counters are NULL, and
-- so are sums with them, but unknown shared memory and swap count as 0 in sums.
CREATE PERFETTO VIEW memory_rss_and_swap_per_process(
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
  -- Resident anonymous memory (without a backing file), in bytes.
  anon_rss LONG,
  -- Resident memory with a backing file, in bytes.
  file_rss LONG,
  -- Resident shared memory, in bytes.
  shmem_rss LONG,
  -- Sum of `anon_rss`, `file_rss` and `shmem_rss`, in bytes.
  rss LONG,
  -- Swapped or compressed memory, in bytes.
  swap LONG,
  -- Sum of `anon_rss` and `swap`, in bytes.
  anon_rss_and_swap LONG,
  -- Sum of `rss` and `swap`, in bytes.
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
