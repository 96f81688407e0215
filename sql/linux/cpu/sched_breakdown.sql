-- Scheduled time of CPUs.

-- Total scheduled time of a CPU.
CREATE PERFETTO TABLE cpu_sched_time(
  -- CPU number on its machine.
  cpu LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu LONG,
  -- Scheduled time in ns, including the idle thread.
  cpu_sched_dur_ns LONG
) AS
SELECT cpu, ucpu, sum(dur) AS cpu_sched_dur_ns
FROM sched
GROUP BY cpu, ucpu;
