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
  f.utid, f.ucpu, cpu.cpu,
  sum(f.dur * f.freq / 1000) AS millicycles,
  CAST(sum(f.dur * f.freq / 1000) / 1e9 AS INT) AS megacycles,
  sum(f.dur) AS runtime,
  min(f.freq) AS min_freq,
  max(f.freq) AS max_freq,
  sum(f.dur * f.freq / 1000) / (sum(f.dur) / 1000) AS avg_freq
FROM _cpu_freq_per_thread AS f
JOIN cpu ON cpu.ucpu = f.ucpu
GROUP BY f.utid, f.ucpu, cpu.cpu;

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
  f.utid, f.ucpu, cpu.cpu,
  sum(f.dur * f.freq / 1000) AS millicycles,
  CAST(sum(f.dur * f.freq / 1000) / 1e9 AS INT) AS megacycles,
  sum(f.dur) AS runtime,
  min(f.freq) AS min_freq,
  max(f.freq) AS max_freq,
  sum(f.dur * f.freq / 1000) / (sum(CASE WHEN f.freq IS NOT NULL THEN f.dur END) / 1000)
    AS avg_freq
FROM _cpu_freq_per_thread_in_interval($ts, $dur) AS f
JOIN cpu ON cpu.ucpu = f.ucpu
GROUP BY f.utid, f.ucpu, cpu.cpu;
