//! Scheduling.

use crate::StringId;

declare_table! {
    /// A span of time in which a CPU runs one thread, from one context switch to the next.
    table "sched_slice" => SchedSliceTable, SchedSliceRow {
        /// Start of the span, ns in trace time.
        ts: i64 => Timestamp,
        /// Duration, ns; -1 if the trace ends first.
        dur: i64 => Duration,
        /// Thread that runs; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// State of the thread at the end, in the letters of the kernel: `R`, `S`, `D`, `R+`… NULL
        /// if the next switch of the CPU was not recorded.
        end_state: StringId => String,
        /// Kernel priority of the thread; a lower number runs first.
        priority: i32 => Long,
        /// CPU; join with `cpu` on `id`.
        ucpu: u32 => JoinId("cpu"),
    }
}

declare_table! {
    /// A span of time in which a thread is in one scheduling state.
    table "thread_state" of ThreadStates => ThreadStateTable, ThreadStateRow {
        /// Start of the state, ns in trace time.
        ts: i64 => Timestamp,
        /// Duration, ns; -1 if the end was not recorded.
        dur: i64 => Duration,
        /// Thread; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// `Running`, `R` (runnable), `R+` (preempted), `S` (sleeping), `D` (uninterruptible)…
        state: StringId => String,
        /// Whether an uninterruptible sleep waits for I/O; NULL if unknown.
        io_wait: Option<u32> => Bool,
        /// Kernel function in which the thread is blocked; NULL if unknown.
        blocked_function: StringId => String,
        /// Thread that woke this one; NULL if unknown. Join with `thread` on `utid`.
        waker_utid: Option<u32> => JoinId("thread"),
        /// State of the waking thread at that moment; join with `thread_state` on `id`.
        waker_id: Option<u32> => JoinId("thread_state"),
        /// Whether an interrupt caused the wakeup, not the waking thread; NULL if unknown.
        irq_context: Option<u32> => Bool,
        /// CPU that runs the thread; join with `cpu` on `id`; NULL if it does not run.
        ucpu: Option<u32> => JoinId("cpu"),
    }
}

declare_table! {
    /// A wakeup of a thread that was not asleep.
    table "spurious_sched_wakeup" of ThreadStates => SpuriousSchedWakeupTable, SpuriousSchedWakeupRow {
        /// Time of the wakeup, ns in trace time.
        ts: i64 => Timestamp,
        /// State of the thread; join with `thread_state` on `id`.
        thread_state_id: u32 => JoinId("thread_state"),
        /// Whether an interrupt caused the wakeup, not the waking thread; NULL if unknown.
        irq_context: Option<u32> => Bool,
        /// Thread that was woken; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// Thread that woke it; join with `thread` on `utid`.
        waker_utid: u32 => JoinId("thread"),
    }
}
