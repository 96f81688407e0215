-- CPU cycles of threads within slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE slices.with_context;

-- Returns slices with the CPU cycles of their threads within them: `id`, `name`, `utid`,
-- `thread_name`, `upid`, `process_name`, `millicycles` and `megacycles`.
CREATE PERFETTO MACRO _cpu_cycles_of_slices(
  -- Slices with these columns and `dur`.
  slices TableOrSubquery,
  -- Subset of the slices to compute cycles for, with `id`, `ts`, `dur` and `utid`.
  looked_at TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    __slice.id, __slice.name, __slice.utid, __slice.thread_name, __slice.upid,
    __slice.process_name, __ran.millicycles, CAST(__ran.millicycles / 1e9 AS INT) AS megacycles
  FROM $slices AS __slice
  LEFT JOIN (
    SELECT
      __part.id_0 AS id,
      sum(__part.dur) AS dur,
      sum(__part.dur * __stretch.freq / 1000) AS millicycles
    FROM _interval_intersect!(
      (
        $looked_at,
        (SELECT id, ts, dur, utid FROM _cpu_freq_per_thread WHERE freq IS NOT NULL)
      ),
      (utid)
    ) AS __part
    JOIN _cpu_freq_per_thread AS __stretch ON __stretch.id = __part.id_1
    GROUP BY __part.id_0
  ) AS __ran ON __ran.id = __slice.id AND __ran.dur = __slice.dur
);

-- A slice with the CPU cycles of its thread within it.
CREATE PERFETTO TABLE cpu_cycles_per_thread_slice(
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process of the thread; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- CPU cycles in thousandths of a cycle; NULL unless the thread ran for the whole slice at a known
  -- frequency.
  millicycles LONG,
  -- CPU cycles in millions; NULL if `millicycles` is NULL.
  megacycles LONG
) AS
SELECT *
FROM _cpu_cycles_of_slices!(
  thread_slice,
  (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0)
);

-- Returns slices with the CPU cycles of their threads within the slice and an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_slice_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION
)
RETURNS TABLE(
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process of the thread; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- CPU cycles in thousandths of a cycle; NULL unless the thread ran for the whole slice within the
  -- interval at a known frequency.
  millicycles LONG,
  -- CPU cycles in millions; NULL if `millicycles` is NULL.
  megacycles LONG
) AS
WITH cut AS (
  SELECT i.id, i.ts, i.dur, s.name, s.utid, s.thread_name, s.upid, s.process_name
  FROM _interval_intersect_single!(
    $ts, $dur, (SELECT id, ts, dur FROM thread_slice WHERE dur > 0 AND utid > 0)
  ) AS i
  JOIN thread_slice AS s ON s.id = i.id
)
SELECT *
FROM _cpu_cycles_of_slices!(cut, (SELECT id, ts, dur, utid FROM cut));
