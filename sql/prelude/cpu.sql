-- A CPU that appears in the trace.
CREATE PERFETTO VIEW cpu(
  -- Same as `ucpu`.
  id ID,
  -- CPU, unique across machines.
  ucpu ID,
  -- CPU number on its machine; not unique if the trace has several machines.
  cpu LONG,
  -- Cluster of CPUs of the same kind that the CPU belongs to.
  cluster_id LONG,
  -- Description of the processor by the kernel; NULL if not recorded.
  processor STRING,
  -- Machine; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Computing power relative to the fastest CPU of the machine, which has 1024.
  capacity LONG,
  -- Arguments; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT
  id, id AS ucpu, cpu, cluster_id, processor, machine_id, capacity, arg_set_id
FROM __stored_cpu
WHERE cpu IS NOT NULL;

-- A frequency that a CPU supports.
CREATE PERFETTO VIEW cpu_available_frequencies(
  -- Unique id of the row.
  id ID,
  -- Same as `ucpu`.
  cpu LONG,
  -- Frequency in kHz.
  freq LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu LONG
) AS
SELECT
  id, ucpu AS cpu, freq, ucpu
FROM cpu_freq;
