-- A CPU that the trace mentions.
CREATE PERFETTO VIEW cpu(
  -- The same as `ucpu`.
  id ID,
  -- The CPU, unique over machines.
  ucpu ID,
  -- The machine's number for it.
  cpu LONG,
  -- The cluster of alike CPUs it belongs to.
  cluster_id LONG,
  -- What the kernel says of the processor.
  processor STRING,
  -- The machine it is in.
  machine_id JOINID(machine.id),
  -- Its computing power relative to the machine's strongest CPU, which has 1024.
  capacity LONG,
  -- More about it.
  arg_set_id ARGSETID
) AS
SELECT
  id, id AS ucpu, cpu, cluster_id, processor, machine_id, capacity, arg_set_id
FROM __stored_cpu;

-- A frequency that a CPU can run at.
CREATE PERFETTO VIEW cpu_available_frequencies(
  -- The row's id.
  id ID,
  -- The CPU; the same as `ucpu`.
  cpu LONG,
  -- The frequency in kHz.
  freq LONG,
  -- The CPU, unique over machines.
  ucpu LONG
) AS
SELECT
  id, ucpu AS cpu, freq, ucpu
FROM cpu_freq;
