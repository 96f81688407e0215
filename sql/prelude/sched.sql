-- A span in which a CPU ran a thread, from one context switch to the next.
CREATE PERFETTO VIEW sched_slice(
  -- Unique id of the row.
  id ID,
  -- Time when the CPU switched to the thread, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the trace ends while the thread runs.
  dur DURATION,
  -- CPU number on its machine. For machines other than the first, 4096 times the machine id is
  -- added, so CPUs of different machines stay distinct.
  cpu LONG,
  -- Thread that ran; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- State of the thread after the switch, in kernel letters: `R`, `S`, `D`, `R+`…
  end_state STRING,
  -- Kernel priority of the thread; a lower value runs first.
  priority LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id)
) AS
SELECT
  id, ts, dur, __cpu_among_machines(ucpu) AS cpu, utid, end_state, priority, ucpu
FROM __stored_sched_slice;

-- Rows of `sched_slice`, with an end column.
CREATE PERFETTO VIEW sched(
  -- Unique id of the row.
  id ID,
  -- Time when the CPU switched to the thread, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the trace ends while the thread runs.
  dur DURATION,
  -- CPU number on its machine. For machines other than the first, 4096 times the machine id is
  -- added, so CPUs of different machines stay distinct.
  cpu LONG,
  -- Thread that ran; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- State of the thread after the switch, in kernel letters: `R`, `S`, `D`, `R+`…
  end_state STRING,
  -- Kernel priority of the thread; a lower value runs first.
  priority LONG,
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu JOINID(cpu.id),
  -- Time when the CPU switched to another thread, computed as `ts + dur`, ns in trace time. Not
  -- valid where `dur` is -1.
  ts_end LONG
) AS
SELECT *, ts + dur AS ts_end
FROM sched_slice;

-- A span in which a thread was in one scheduling state.
CREATE PERFETTO VIEW thread_state(
  -- Unique id of the row.
  id ID,
  -- Start of the state, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 when the end is not in the trace.
  dur DURATION,
  -- CPU number on its machine; NULL if the thread is not running.
  cpu LONG,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Scheduling state: `Running`, `R` (runnable), `R+` (preempted), `S` (sleeping), `D`
  -- (uninterruptible sleep)…
  state STRING,
  -- Whether an uninterruptible sleep waits for I/O; NULL if unknown.
  io_wait BOOL,
  -- Kernel function in which the thread is blocked; NULL if unknown.
  blocked_function STRING,
  -- Thread that woke this thread; NULL if unknown. Join with `thread` on `utid`.
  waker_utid JOINID(thread.id),
  -- State of the waker thread at the wakeup; join with `thread_state` on `id`.
  waker_id JOINID(thread_state.id),
  -- Whether the wakeup came from an interrupt and not from the waker thread.
  irq_context BOOL,
  -- CPU that ran the thread, unique across machines. NULL if the thread is not running. Join with
  -- `cpu` on `ucpu`.
  ucpu JOINID(cpu.id)
) AS
SELECT
  id, ts, dur, __cpu_of(ucpu) AS cpu, utid, state, io_wait, blocked_function, waker_utid,
  waker_id, irq_context, ucpu
FROM __stored_thread_state;
