-- How long CPUs were busy with making memory free.

INCLUDE PERFETTO MODULE linux.cpu.sched_breakdown;

-- A CPU with how long `kswapd0` ran on it.
CREATE PERFETTO VIEW linux_kswapd_cpu_breakdown(
  -- The machine's number for the CPU.
  cpu LONG,
  -- The CPU, unique over machines.
  ucpu LONG,
  -- For how long anything was scheduled on it.
  cpu_sched_dur_ns LONG,
  -- For how long that was `kswapd0`.
  kswapd_sched_dur_ns LONG,
  -- How much of a hundred that is.
  kswapd_cpu_dur_percentage DOUBLE
) AS
WITH freeing AS (
  SELECT s.ucpu, sum(s.dur) AS dur
  FROM sched AS s
  JOIN thread AS t ON t.utid = s.utid
  WHERE t.name = 'kswapd0'
  GROUP BY s.ucpu
)
SELECT
  c.cpu, c.ucpu, c.cpu_sched_dur_ns,
  coalesce(f.dur, 0) AS kswapd_sched_dur_ns,
  CASE
    WHEN c.cpu_sched_dur_ns > 0 THEN round(coalesce(f.dur, 0) * 100.0 / c.cpu_sched_dur_ns, 2)
    ELSE 0.0
  END AS kswapd_cpu_dur_percentage
FROM cpu_sched_time AS c
LEFT JOIN freeing AS f ON f.ucpu = c.ucpu;
