-- Cycles that threads ran within slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE slices.with_context;

-- Slices with the cycles their threads ran within them: their `id`, `name`, `utid`, `thread_name`,
-- `upid`, `process_name`, and `millicycles` and `megacycles`.
CREATE PERFETTO MACRO _cpu_cycles_of_slices(
  -- The slices, with these columns and `dur`.
  slices TableOrSubquery,
  -- Those of them that are looked at: `id`, `ts`, `dur` and `utid`.
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

-- A slice with the cycles its thread ran within it.
CREATE PERFETTO TABLE cpu_cycles_per_thread_slice(
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
SELECT *
FROM _cpu_cycles_of_slices!(
  thread_slice,
  (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0)
);

-- A slice with the cycles its thread ran within it and an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_slice_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION
)
RETURNS TABLE(
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
WITH cut AS (
  SELECT i.id, i.ts, i.dur, s.name, s.utid, s.thread_name, s.upid, s.process_name
  FROM _interval_intersect_single!(
    $ts, $dur, (SELECT id, ts, dur FROM thread_slice WHERE dur > 0 AND utid > 0)
  ) AS i
  JOIN thread_slice AS s ON s.id = i.id
)
SELECT *
FROM _cpu_cycles_of_slices!(cut, (SELECT id, ts, dur, utid FROM cut));
