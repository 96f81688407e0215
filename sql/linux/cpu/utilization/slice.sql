-- Cycles that threads ran within slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE slices.with_context;

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
WITH ran AS (
  SELECT
    i.id_0 AS id,
    sum(i.dur) AS dur,
    sum(i.dur * f.freq / 1000) AS millicycles
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0),
      (SELECT id, ts, dur, utid FROM _cpu_freq_per_thread WHERE freq IS NOT NULL)
    ),
    (utid)
  ) AS i
  JOIN _cpu_freq_per_thread AS f ON f.id = i.id_1
  GROUP BY i.id_0
)
SELECT
  s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name,
  r.millicycles, CAST(r.millicycles / 1e9 AS INT) AS megacycles
FROM thread_slice AS s
LEFT JOIN ran AS r ON r.id = s.id AND r.dur = s.dur;

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
WITH
  cut AS (
    SELECT i.id, i.ts, i.dur, s.name, s.utid, s.thread_name, s.upid, s.process_name
    FROM _interval_intersect_single!(
      $ts, $dur, (SELECT id, ts, dur FROM thread_slice WHERE dur > 0 AND utid > 0)
    ) AS i
    JOIN thread_slice AS s ON s.id = i.id
  ),
  ran AS (
    SELECT
      i.id_0 AS id,
      sum(i.dur) AS dur,
      sum(i.dur * f.freq / 1000) AS millicycles
    FROM _interval_intersect!(
      (
        (SELECT id, ts, dur, utid FROM cut),
        (SELECT id, ts, dur, utid FROM _cpu_freq_per_thread WHERE freq IS NOT NULL)
      ),
      (utid)
    ) AS i
    JOIN _cpu_freq_per_thread AS f ON f.id = i.id_1
    GROUP BY i.id_0
  )
SELECT
  c.id, c.name, c.utid, c.thread_name, c.upid, c.process_name,
  r.millicycles, CAST(r.millicycles / 1e9 AS INT) AS megacycles
FROM cut AS c
LEFT JOIN ran AS r ON r.id = c.id AND r.dur = c.dur;
