-- Statistics of CPU idle states.

INCLUDE PERFETTO MODULE linux.cpu.idle;

-- Statistics of an idle state of a CPU over the trace.
CREATE PERFETTO TABLE cpu_idle_stats(
  -- CPU number on its machine.
  cpu LONG,
  -- Idle state, from 1; a higher value is deeper.
  state LONG,
  -- Number of times the CPU was in the state.
  count LONG,
  -- Total time in the state, ns.
  dur DURATION,
  -- Average time in the state, ns.
  avg_dur DURATION,
  -- Time in the state, in percent of the recorded time of the CPU.
  idle_percent DOUBLE
) AS
SELECT
  cpu, idle + 1 AS state, slept AS count, dur, dur / slept AS avg_dur,
  dur * 100.0 / total AS idle_percent
FROM (
  SELECT
    cpu, idle, count(*) AS slept, sum(dur) AS dur,
    sum(sum(dur)) OVER (PARTITION BY cpu) AS total
  FROM cpu_idle_counters
  GROUP BY cpu, idle
)
WHERE idle >= 0
ORDER BY cpu, state;
