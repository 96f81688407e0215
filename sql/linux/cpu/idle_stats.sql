-- How often and how long CPUs slept.

INCLUDE PERFETTO MODULE linux.cpu.idle;

-- The sleeps of a CPU that were of one depth.
CREATE PERFETTO TABLE cpu_idle_stats(
  -- The machine's number for the CPU.
  cpu LONG,
  -- How deep they were, from 1 on.
  state LONG,
  -- How many there were.
  count LONG,
  -- How long they took together.
  dur DURATION,
  -- How long one took on average.
  avg_dur DURATION,
  -- How much of a hundred of the CPU's time they took.
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
