//! Kernel events of one CPU.

use crate::{CompactSched, Message, field};

/// The states in which a thread leaves its CPU, with the numbers of kernels since 4.14.
pub mod prev_state {
    /// The thread is runnable.
    pub const RUNNABLE: i64 = 0;
    /// The thread waits and may be interrupted.
    pub const SLEEPING: i64 = 1;
    /// The thread waits and may not be interrupted.
    pub const UNINTERRUPTIBLE: i64 = 2;
    /// The thread is dead.
    pub const DEAD: i64 = 0x10;
    /// The thread has ended and waits until its parent collects it.
    pub const ZOMBIE: i64 = 0x20;
    /// The thread is runnable and was preempted by a more urgent one.
    pub const PREEMPTED: i64 = 0x100;
}

/// The clocks of the kernel's tracer, with their numbers in bundles. Without a number, the clock is
/// boot time.
pub mod ftrace_clock {
    /// A clock without a number, such as `x86-tsc`.
    pub const UNKNOWN: u64 = 1;
    /// The global clock, which is the same on all CPUs.
    pub const GLOBAL: u64 = 2;
    /// The local clock of each CPU.
    pub const LOCAL: u64 = 3;
    /// `CLOCK_MONOTONIC_RAW`.
    pub const MONO_RAW: u64 = 4;
}

/// A thread in scheduler events.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Its name.
    pub comm: &'a str,
    /// Its tid.
    pub tid: i32,
    /// Its priority.
    pub prio: i32,
}

impl<'a> Task<'a> {
    /// Returns a thread with the default priority.
    #[must_use]
    pub const fn new(comm: &'a str, tid: i32) -> Self {
        Self { comm, tid, prio: 120 }
    }

    /// Returns the same thread with another priority.
    #[must_use]
    pub const fn prio(self, prio: i32) -> Self {
        Self { prio, ..self }
    }
}

message_type! {
    /// The events of one CPU between two reads of its buffer.
    FtraceBundle
}

impl FtraceBundle {
    /// Returns an empty bundle of this CPU.
    pub fn new(cpu: u32) -> Self {
        Self(Message::new().uint(field::FtraceEventBundle::cpu, cpu.into()))
    }

    /// Adds an event.
    pub fn event(self, event: FtraceEvent) -> Self {
        Self(self.0.message(field::FtraceEventBundle::event, event))
    }

    /// Adds events of the scheduler in columns.
    pub fn compact(self, sched: CompactSched) -> Self {
        Self(self.0.message(field::FtraceEventBundle::compact_sched, sched))
    }

    /// Marks that events before the first one were overwritten.
    pub fn lost_events(self) -> Self {
        Self(self.0.bool(field::FtraceEventBundle::lost_events, true))
    }

    /// Sets the time of the last event that was read before this bundle.
    pub fn last_read(self, timestamp: u64) -> Self {
        Self(self.0.uint(field::FtraceEventBundle::last_read_event_timestamp, timestamp))
    }

    /// Sets the time at which the previous bundle ended.
    pub fn previous_end(self, timestamp: u64) -> Self {
        Self(self.0.uint(field::FtraceEventBundle::previous_bundle_end_timestamp, timestamp))
    }

    /// Sets another of the [`ftrace_clock`]s as the clock of timestamps. Call this before adding
    /// events, like the recorder does.
    pub fn clock(self, ftrace_clock: u64) -> Self {
        Self(self.0.uint(field::FtraceEventBundle::ftrace_clock, ftrace_clock))
    }

    /// Sets the values of that clock and the boot clock at the same moment. Call this before adding
    /// events too.
    pub fn clock_reading(self, ftrace_time: i64, boot_time: i64) -> Self {
        Self(
            self.0
                .int(field::FtraceEventBundle::ftrace_timestamp, ftrace_time)
                .int(field::FtraceEventBundle::boot_timestamp, boot_time),
        )
    }
}

message_type! {
    /// One kernel event.
    FtraceEvent
}

impl FtraceEvent {
    /// Clone flag: the new task is a thread of the same process.
    pub const CLONE_THREAD: u64 = 0x1_0000;

    /// The CPU stops running one thread and runs another.
    pub fn sched_switch(at: u64, prev: Task<'_>, prev_state: i64, next: Task<'_>) -> Self {
        use field::SchedSwitch as f;
        let payload = Message::new()
            .bytes(f::prev_comm, prev.comm)
            .int(f::prev_pid, prev.tid.into())
            .int(f::prev_prio, prev.prio.into())
            .int(f::prev_state, prev_state)
            .bytes(f::next_comm, next.comm)
            .int(f::next_pid, next.tid.into())
            .int(f::next_prio, next.prio.into());
        Self::new(at, prev.tid, field::FtraceEvent::sched_switch, payload)
    }

    /// The thread `by` is about to wake another.
    pub fn sched_waking(at: u64, by: i32, woken: Task<'_>, target_cpu: i32) -> Self {
        Self::new(at, by, field::FtraceEvent::sched_waking, woken_payload(woken, target_cpu))
    }

    /// A woken thread was put on a CPU's queue.
    pub fn sched_wakeup(at: u64, by: i32, woken: Task<'_>, target_cpu: i32) -> Self {
        Self::new(at, by, field::FtraceEvent::sched_wakeup, woken_payload(woken, target_cpu))
    }

    /// A new thread was put on a CPU's queue for the first time.
    pub fn sched_wakeup_new(at: u64, by: i32, woken: Task<'_>, target_cpu: i32) -> Self {
        Self::new(at, by, field::FtraceEvent::sched_wakeup_new, woken_payload(woken, target_cpu))
    }

    /// The thread `by` created a thread, or a process if [`Self::CLONE_THREAD`] is not set.
    pub fn task_newtask(at: u64, by: i32, tid: i32, comm: &str, clone_flags: u64) -> Self {
        use field::TaskNewtask as f;
        let payload = Message::new()
            .int(f::pid, tid.into())
            .bytes(f::comm, comm)
            .uint(f::clone_flags, clone_flags)
            .int(f::oom_score_adj, 0);
        Self::new(at, by, field::FtraceEvent::task_newtask, payload)
    }

    /// A thread changed its name.
    pub fn task_rename(at: u64, tid: i32, old: &str, new: &str) -> Self {
        use field::TaskRename as f;
        let payload = Message::new()
            .int(f::pid, tid.into())
            .bytes(f::oldcomm, old)
            .bytes(f::newcomm, new)
            .int(f::oom_score_adj, 0);
        Self::new(at, tid, field::FtraceEvent::task_rename, payload)
    }

    /// A process created another.
    pub fn sched_process_fork(at: u64, parent: Task<'_>, child: Task<'_>) -> Self {
        use field::SchedProcessFork as f;
        let payload = Message::new()
            .bytes(f::parent_comm, parent.comm)
            .int(f::parent_pid, parent.tid.into())
            .bytes(f::child_comm, child.comm)
            .int(f::child_pid, child.tid.into());
        Self::new(at, parent.tid, field::FtraceEvent::sched_process_fork, payload)
    }

    /// A process starts to run another program.
    pub fn sched_process_exec(at: u64, tid: i32, filename: &str) -> Self {
        use field::SchedProcessExec as f;
        let payload = Message::new()
            .bytes(f::filename, filename)
            .int(f::pid, tid.into())
            .int(f::old_pid, tid.into());
        Self::new(at, tid, field::FtraceEvent::sched_process_exec, payload)
    }

    /// A thread is ending.
    pub fn sched_process_exit(at: u64, task: Task<'_>, tgid: i32) -> Self {
        use field::SchedProcessExit as f;
        let payload = Message::new()
            .bytes(f::comm, task.comm)
            .int(f::pid, task.tid.into())
            .int(f::tgid, tgid.into())
            .int(f::prio, task.prio.into());
        Self::new(at, task.tid, field::FtraceEvent::sched_process_exit, payload)
    }

    /// The kernel released an ended thread; its tid may be reused.
    pub fn sched_process_free(at: u64, by: i32, task: Task<'_>) -> Self {
        use field::SchedProcessFree as f;
        let payload = Message::new()
            .bytes(f::comm, task.comm)
            .int(f::pid, task.tid.into())
            .int(f::prio, task.prio.into());
        Self::new(at, by, field::FtraceEvent::sched_process_free, payload)
    }

    /// A CPU changed its frequency.
    pub fn cpu_frequency(at: u64, by: i32, cpu: u32, khz: u32) -> Self {
        use field::CpuFrequency as f;
        let payload = Message::new().uint(f::state, khz.into()).uint(f::cpu_id, cpu.into());
        Self::new(at, by, field::FtraceEvent::cpu_frequency, payload)
    }

    /// A thread wrote to the kernel's marker file.
    pub fn print(at: u64, by: i32, text: &str) -> Self {
        let payload = Message::new().uint(field::Print::ip, 0).bytes(field::Print::buf, text);
        Self::new(at, by, field::FtraceEvent::print, payload)
    }

    /// Sets the flags of an event: 8 in a hard interrupt, 16 in a soft interrupt.
    pub fn common_flags(self, flags: u64) -> Self {
        Self(self.0.uint(field::FtraceEvent::common_flags, flags))
    }

    /// Returns an event without a builder of its own, by the number of its field. `by` is the
    /// running thread.
    pub fn other(at: u64, by: i32, field: u32, payload: Message) -> Self {
        Self::new(at, by, field, payload)
    }

    fn new(at: u64, by: i32, kind: u32, payload: Message) -> Self {
        Self(
            Message::new()
                .uint(field::FtraceEvent::timestamp, at)
                .uint(field::FtraceEvent::pid, u64::from(by.cast_unsigned()))
                .message(kind, payload),
        )
    }
}

/// Waking, wakeup and new wakeup have the same fields.
fn woken_payload(woken: Task<'_>, target_cpu: i32) -> Message {
    use field::SchedWaking as f;
    Message::new()
        .bytes(f::comm, woken.comm)
        .int(f::pid, woken.tid.into())
        .int(f::prio, woken.prio.into())
        .int(f::success, 1)
        .int(f::target_cpu, target_cpu.into())
}
