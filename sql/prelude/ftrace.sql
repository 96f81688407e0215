-- An ftrace event of the Linux kernel, with all its arguments.
CREATE PERFETTO VIEW ftrace_event(
  -- Unique id of the row.
  id ID,
  -- Time of the event, ns in trace time.
  ts TIMESTAMP,
  -- Name of the kernel tracepoint.
  name STRING,
  -- CPU number on its machine. For machines other than the first, 4096 times the machine id is
  -- added, so CPUs of different machines stay distinct.
  cpu LONG,
  -- Thread that was running on the CPU; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Arguments of the event; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Flags of the event, for example whether it happened in an interrupt: `trace_flag_type` of the
  -- kernel.
  common_flags LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id)
) AS
SELECT
  id, ts, name, __cpu_among_machines(ucpu) AS cpu, utid, arg_set_id, common_flags, ucpu
FROM __stored_ftrace_event;

-- Old name of `ftrace_event`.
CREATE PERFETTO VIEW raw(
  -- Unique id of the row.
  id ID,
  -- Time of the event, ns in trace time.
  ts TIMESTAMP,
  -- Name of the kernel tracepoint.
  name STRING,
  -- CPU number on its machine. For machines other than the first, 4096 times the machine id is
  -- added.
  cpu LONG,
  -- Thread that was running on the CPU; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Arguments of the event; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Flags of the event, for example whether it happened in an interrupt: `trace_flag_type` of the
  -- kernel.
  common_flags LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id)
) AS
SELECT * FROM ftrace_event;
