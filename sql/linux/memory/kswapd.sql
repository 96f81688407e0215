-- CPU time of memory reclaim by kswapd.

INCLUDE PERFETTO MODULE linux.cpu.sched_breakdown;

-- CPU time of `kswapd0` on a CPU.
CREATE PERFETTO VIEW linux_kswapd_cpu_breakdown(
  -- CPU number on its machine.
  cpu LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu LONG,
  -- Scheduled time of the CPU in ns, including the idle thread.
  cpu_sched_dur_ns LONG,
  -- Time that `kswapd0` ran on the CPU, in ns.
  kswapd_sched_dur_ns LONG,
  -- `kswapd_sched_dur_ns` in percent of `cpu_sched_dur_ns`.
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
