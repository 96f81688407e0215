-- CPU cycles of threads on each CPU.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- CPU cycles of a thread on a CPU.
CREATE PERFETTO TABLE cpu_cycles_per_thread_per_cpu(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id),
  -- CPU number on its machine.
  cpu LONG,
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the thread ran on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  utid,
  ucpu,
  cpu.cpu,
  _cpu_cycle_columns!(runtime)
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread)
JOIN cpu USING (ucpu)
GROUP BY utid, ucpu, cpu.cpu;

-- Returns the CPU cycles of each thread on each CPU in an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_per_cpu_in_interval(
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG
)
RETURNS TABLE(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id),
  -- CPU number on its machine.
  cpu LONG,
  -- CPU cycles in thousandths of a cycle; NULL where the CPU frequency is unknown.
  millicycles LONG,
  -- CPU cycles in millions.
  megacycles LONG,
  -- Time that the thread ran on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency in the period, in kHz.
  min_freq LONG,
  -- Highest CPU frequency in the period, in kHz.
  max_freq LONG,
  -- Average CPU frequency in the period, in kHz.
  avg_freq LONG
) AS
SELECT
  utid,
  ucpu,
  cpu.cpu,
  _cpu_cycle_columns!(known_runtime)
FROM _cpu_cycles_of_stretches!(_cpu_freq_per_thread_in_interval($ts, $dur))
JOIN cpu USING (ucpu)
GROUP BY utid, ucpu, cpu.cpu;
