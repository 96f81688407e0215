-- An event of the Linux kernel, as its ftrace recorded it, with all its arguments.
CREATE PERFETTO VIEW ftrace_event(
  -- The row's id.
  id ID,
  -- When it happened.
  ts TIMESTAMP,
  -- The kernel's name of the tracepoint.
  name STRING,
  -- The CPU it happened on, as its machine numbers it; on another machine than the first, 4096
  -- times the machine's id more.
  cpu LONG,
  -- The thread that was running.
  utid JOINID(thread.id),
  -- Its arguments.
  arg_set_id ARGSETID,
  -- Whether it happened in an interrupt, and more: the kernel's `trace_flag_type`.
  common_flags LONG,
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id)
) AS
SELECT
  id, ts, name, __cpu_among_machines(ucpu) AS cpu, utid, arg_set_id, common_flags, ucpu
FROM __stored_ftrace_event;

-- The same as `ftrace_event`, under its older name.
CREATE PERFETTO VIEW raw(
  -- The row's id.
  id ID,
  -- When it happened.
  ts TIMESTAMP,
  -- The kernel's name of the tracepoint.
  name STRING,
  -- The CPU it happened on, as its machine numbers it.
  cpu LONG,
  -- The thread that was running.
  utid JOINID(thread.id),
  -- Its arguments.
  arg_set_id ARGSETID,
  -- Whether it happened in an interrupt, and more: the kernel's `trace_flag_type`.
  common_flags LONG,
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id)
) AS
SELECT * FROM ftrace_event;
