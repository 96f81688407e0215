-- How long slices kept CPUs busy.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
INCLUDE PERFETTO MODULE slices.with_context;

-- A slice with how long its thread ran on a CPU within it. Slices in which it never ran are left
-- out, and so are those whose end was not seen.
CREATE PERFETTO TABLE thread_slice_cpu_time(
  -- The slice.
  id JOINID(slice.id),
  -- The slice's name.
  name STRING,
  -- The thread.
  utid JOINID(thread.id),
  -- The thread's name.
  thread_name STRING,
  -- The thread's process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- How long it ran.
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

-- A slice with the cycles its thread ran within it.
CREATE PERFETTO VIEW thread_slice_cpu_cycles(
  -- The slice.
  id JOINID(slice.id),
  -- The slice's name.
  name STRING,
  -- The thread.
  utid JOINID(thread.id),
  -- The thread's name.
  thread_name STRING,
  -- The thread's process.
  upid JOINID(process.id),
  -- The process's name.
  process_name STRING,
  -- Cycles, in thousandths; NULL unless the thread ran all the time, with a known frequency.
  millicycles LONG,
  -- Cycles, in millions; NULL likewise.
  megacycles LONG
) AS
SELECT id, name, utid, thread_name, upid, process_name, millicycles, megacycles
FROM cpu_cycles_per_thread_slice;
