-- How long anything was scheduled on CPUs.

-- A CPU with how long anything was scheduled on it.
CREATE PERFETTO TABLE cpu_sched_time(
  -- The machine's number for the CPU.
  cpu LONG,
  -- The CPU, unique over machines.
  ucpu LONG,
  -- For how long, its idle thread included.
  cpu_sched_dur_ns LONG
) AS
SELECT cpu, ucpu, sum(dur) AS cpu_sched_dur_ns
FROM sched
GROUP BY cpu, ucpu;
