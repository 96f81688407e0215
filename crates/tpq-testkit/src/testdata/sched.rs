//! Two CPUs, the first with full events and the second in compact form: threads run, sleep, are
//! woken, are preempted, are created and end.
//!
//! ```text
//!         2000        3000        3700   4200
//! CPU 0   │ app 100   │ child 200 │ app  │ idle…
//!              2450       3200        3900   4400
//! CPU 1        │ worker 101 │ idle    │ worker │ idle…
//! ```

use crate::{
    ClockSnapshot, CompactSched, FtraceBundle, FtraceEvent, Message, Packet, ProcessTree,
    ServiceEvent, SystemInfo, Task, TraceBuilder, clock_id, field, prev_state,
};

const SERVICE: u32 = 1;
const PROCESSES: u32 = 2;
const FTRACE: u32 = 3;

const IDLE_0: Task<'_> = Task::new("swapper/0", 0);
const IDLE_1: Task<'_> = Task::new("swapper/1", 0);
const APP: Task<'_> = Task::new("app", 100);
const WORKER: Task<'_> = Task::new("worker", 101).prio(110);
const UNBORN: Task<'_> = Task::new("app", 200);
const CHILD: Task<'_> = Task::new("child", 200);

/// The configuration that the trace contains.
fn config() -> Message {
    let buffer = Message::new().uint(field::BufferConfig::size_kb, 4096);
    Message::new()
        .message(field::TraceConfig::buffers, buffer)
        .uint(field::TraceConfig::duration_ms, 5)
        .bytes(field::TraceConfig::unique_session_name, "sched")
}

pub fn trace() -> TraceBuilder {
    let service = || Packet::new().sequence(SERVICE);
    let ftrace = |bundle| Packet::new().sequence(FTRACE).ftrace(bundle);
    TraceBuilder::new()
        .packet(
            service().clock_snapshot(
                ClockSnapshot::new()
                    .clock(clock_id::BOOTTIME, 1_000)
                    .clock(clock_id::MONOTONIC, 900)
                    .clock(clock_id::REALTIME, 1_700_000_000_000_001_000)
                    .primary(clock_id::BOOTTIME),
            ),
        )
        .packet(service().timestamp(1_000).trace_config(config()))
        .packet(service().timestamp(1_000).trace_uuid(0x0011_2233_4455_6677, 0x0899_aabb_ccdd_eeff))
        .packet(
            service()
                .timestamp(1_000)
                .system_info(SystemInfo::linux("6.1.0").num_cpus(2).service_version("testkit")),
        )
        .packet(service().timestamp(1_500).service_event(ServiceEvent::TracingStarted))
        .packet(service().timestamp(1_600).service_event(ServiceEvent::AllDataSourcesStarted))
        .packet(
            Packet::new().sequence(PROCESSES).timestamp(1_000).process_tree(
                ProcessTree::new()
                    .process(1, 0, &["/sbin/init"], 0)
                    .process(100, 1, &["/bin/app", "--flag"], 1000)
                    .thread(101, 100, "worker"),
            ),
        )
        .packet(ftrace(cpu_0()))
        .packet(ftrace(cpu_1()))
        .packet(service().timestamp(5_000).service_event(ServiceEvent::AllDataSourcesFlushed))
        .packet(service().timestamp(5_100).service_event(ServiceEvent::ReadTracingBuffersCompleted))
        .packet(service().timestamp(5_200).service_event(ServiceEvent::TracingDisabled))
}

fn cpu_0() -> FtraceBundle {
    use FtraceEvent as E;
    FtraceBundle::new(0)
        .event(E::sched_switch(2_000, IDLE_0, prev_state::RUNNABLE, APP))
        // The first event of the worker: it becomes runnable without an earlier event in which it
        // slept.
        .event(E::sched_waking(2_300, APP.tid, WORKER, 1).common_flags(1))
        .event(E::sched_wakeup(2_350, APP.tid, WORKER, 1))
        .event(E::task_newtask(2_500, APP.tid, 102, "app", E::CLONE_THREAD))
        .event(E::task_newtask(2_700, APP.tid, UNBORN.tid, "app", 0))
        .event(E::sched_process_fork(2_700, APP, UNBORN))
        .event(E::sched_wakeup_new(2_800, APP.tid, UNBORN, 0))
        .event(E::sched_switch(3_000, APP, prev_state::SLEEPING, UNBORN))
        .event(E::sched_process_exec(3_100, UNBORN.tid, "/bin/child"))
        .event(E::task_rename(3_100, UNBORN.tid, "app", "child"))
        .event(E::sched_waking(3_500, CHILD.tid, APP, 0).common_flags(1))
        .event(E::sched_process_exit(3_600, CHILD, CHILD.tid))
        .event(E::sched_switch(3_700, CHILD, prev_state::DEAD, APP))
        .event(E::sched_process_free(4_000, APP.tid, CHILD))
        .event(E::sched_switch(4_200, APP, prev_state::PREEMPTED, IDLE_0))
        .event(E::cpu_frequency(4_500, 0, 0, 1_200_000))
}

fn cpu_1() -> FtraceBundle {
    const SOFT_INTERRUPT: i64 = 0x10;
    FtraceBundle::new(1).compact(
        CompactSched::new()
            // Before the first switch the running thread is unknown, so the waking has no waker,
            // and the first switch only shows which thread runs from then on.
            .waking(2_050, WORKER, 1, 0)
            .switch(2_100, prev_state::SLEEPING, IDLE_1)
            .switch(2_450, prev_state::RUNNABLE, WORKER)
            .switch(3_200, prev_state::UNINTERRUPTIBLE, IDLE_1)
            .waking(3_800, WORKER, 1, SOFT_INTERRUPT)
            .switch(3_900, prev_state::RUNNABLE, WORKER)
            .switch(4_400, prev_state::SLEEPING, IDLE_1),
    )
}
