-- Cycles that threads ran on each CPU.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

-- What a thread ran on a CPU.
CREATE PERFETTO TABLE cpu_cycles_per_thread_per_cpu(
  -- The thread.
  utid JOINID(thread.id),
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id),
  -- The machine's number for the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long it ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
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

-- What a thread ran on a CPU within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_per_cpu_in_interval(
  -- Where the interval begins.
  ts TIMESTAMP,
  -- How long it is.
  dur LONG
)
RETURNS TABLE(
  -- The thread.
  utid JOINID(thread.id),
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id),
  -- The machine's number for the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL where no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long it ran.
  runtime DURATION,
  -- The lowest frequency meanwhile, in kHz.
  min_freq LONG,
  -- The highest frequency meanwhile, in kHz.
  max_freq LONG,
  -- The frequency on average, in kHz.
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
