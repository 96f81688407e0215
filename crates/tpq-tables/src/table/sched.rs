//! What the scheduler did.

use crate::StringId;

declare_table! {
    /// A stretch of time for which one CPU ran one thread, from one context switch to the next.
    table "sched_slice" => SchedSliceTable, SchedSliceRow {
        /// When the thread was switched in.
        ts: i64 => Timestamp,
        /// How long it ran; -1 when the trace ends first.
        dur: i64 => Duration,
        /// The thread that ran.
        utid: u32 => JoinId("thread"),
        /// The state the thread was left in, as the kernel's letters: `R`, `S`, `D`, `R+`…
        /// NULL when the next switch of this CPU was not seen.
        end_state: StringId => String,
        /// The kernel's priority of the thread: lower runs first.
        priority: i32 => Long,
        /// The CPU, unique over machines.
        ucpu: u32 => JoinId("cpu"),
    }
}

declare_table! {
    /// A stretch of time which a thread spent in one scheduling state.
    table "thread_state" => ThreadStateTable, ThreadStateRow {
        /// When the state began.
        ts: i64 => Timestamp,
        /// How long it lasted; -1 when its end was not seen.
        dur: i64 => Duration,
        /// The thread.
        utid: u32 => JoinId("thread"),
        /// `Running`, `R` (runnable), `R+` (preempted), `S` (sleeping), `D` (uninterruptible)…
        state: StringId => String,
        /// Whether an uninterruptible sleep waited for I/O.
        io_wait: Option<u32> => Bool,
        /// The kernel function it blocked in.
        blocked_function: StringId => String,
        /// The thread that woke this one.
        waker_utid: Option<u32> => JoinId("thread"),
        /// The state of the waking thread at that moment.
        waker_id: Option<u32> => JoinId("thread_state"),
        /// Whether the wakeup came from an interrupt rather than from the waking thread.
        irq_context: Option<u32> => Bool,
        /// The CPU it ran on, unique over machines; NULL when not running.
        ucpu: Option<u32> => JoinId("cpu"),
    }
}

declare_table! {
    /// A wakeup of a thread that was not asleep.
    table "spurious_sched_wakeup" => SpuriousSchedWakeupTable, SpuriousSchedWakeupRow {
        /// When the thread was woken.
        ts: i64 => Timestamp,
        /// The state it was in.
        thread_state_id: u32 => JoinId("thread_state"),
        /// Whether the wakeup came from an interrupt rather than from the waking thread.
        irq_context: Option<u32> => Bool,
        /// The thread that was woken.
        utid: u32 => JoinId("thread"),
        /// The thread that woke it.
        waker_utid: u32 => JoinId("thread"),
    }
}
