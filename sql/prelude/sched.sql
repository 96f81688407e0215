-- A stretch of time for which one CPU ran one thread, from one context switch to the next.
CREATE PERFETTO VIEW sched_slice(
  -- The row's id.
  id ID,
  -- When the thread was switched in.
  ts TIMESTAMP,
  -- How long it ran; -1 when the trace ends first.
  dur DURATION,
  -- The CPU it ran on, as its machine numbers it; on another machine than the first, 4096 times
  -- the machine's id more, so that CPUs of two machines stay two.
  cpu LONG,
  -- The thread that ran.
  utid JOINID(thread.id),
  -- The state the thread was left in, as the kernel's letters: `R`, `S`, `D`, `R+`…
  end_state STRING,
  -- The kernel's priority of the thread: lower runs first.
  priority LONG,
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id)
) AS
SELECT
  id, ts, dur, __cpu_among_machines(ucpu) AS cpu, utid, end_state, priority, ucpu
FROM __stored_sched_slice;

-- As `sched_slice`, with the end of each stretch.
CREATE PERFETTO VIEW sched(
  -- The row's id.
  id ID,
  -- When the thread was switched in.
  ts TIMESTAMP,
  -- How long it ran; -1 when the trace ends first.
  dur DURATION,
  -- The CPU it ran on, as its machine numbers it; on another machine than the first, 4096 times
  -- the machine's id more, so that CPUs of two machines stay two.
  cpu LONG,
  -- The thread that ran.
  utid JOINID(thread.id),
  -- The state the thread was left in, as the kernel's letters: `R`, `S`, `D`, `R+`…
  end_state STRING,
  -- The kernel's priority of the thread: lower runs first.
  priority LONG,
  -- The CPU, unique over machines.
  ucpu JOINID(cpu.id),
  -- When it was switched out.
  ts_end LONG
) AS
SELECT *, ts + dur AS ts_end
FROM sched_slice;

-- A stretch of time which a thread spent in one scheduling state.
CREATE PERFETTO VIEW thread_state(
  -- The row's id.
  id ID,
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted; -1 when its end was not seen.
  dur DURATION,
  -- The CPU it ran on, as its machine numbers it; NULL when not running.
  cpu LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- `Running`, `R` (runnable), `R+` (preempted), `S` (sleeping), `D` (uninterruptible)…
  state STRING,
  -- Whether an uninterruptible sleep waited for I/O.
  io_wait BOOL,
  -- The kernel function it blocked in.
  blocked_function STRING,
  -- The thread that woke this one.
  waker_utid JOINID(thread.id),
  -- The state of the waking thread at that moment.
  waker_id JOINID(thread_state.id),
  -- Whether the wakeup came from an interrupt rather than from the waking thread.
  irq_context BOOL,
  -- The CPU it ran on, unique over machines; NULL when not running.
  ucpu JOINID(cpu.id)
) AS
SELECT
  id, ts, dur, __cpu_of(ucpu) AS cpu, utid, state, io_wait, blocked_function, waker_utid,
  waker_id, irq_context, ucpu
FROM __stored_thread_state;
