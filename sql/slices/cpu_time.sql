-- CPU time and CPU cycles of slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
INCLUDE PERFETTO MODULE slices.with_context;

-- A slice with the time that its thread ran on a CPU within it. Slices in which the thread never
-- ran and slices without an end are left out.
CREATE PERFETTO TABLE thread_slice_cpu_time(
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
  -- Time that the thread ran within the slice, ns.
  cpu_time LONG
) AS
WITH ran AS (
  SELECT id_0 AS id, sum(dur) AS cpu_time
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0),
      (SELECT id, ts, dur, utid FROM sched WHERE dur > 0)
    ),
    (utid)
  )
  GROUP BY id_0
)
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, r.cpu_time
FROM ran AS r
JOIN thread_slice AS s ON s.id = r.id
ORDER BY s.id;

-- A slice with the CPU cycles of its thread within it.
CREATE PERFETTO VIEW thread_slice_cpu_cycles(
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
SELECT id, name, utid, thread_name, upid, process_name, millicycles, megacycles
FROM cpu_cycles_per_thread_slice;
