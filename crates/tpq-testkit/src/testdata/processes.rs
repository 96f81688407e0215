//! A server and its memory, and two processes one after the other with the same pid.

use crate::{FtraceBundle, FtraceEvent, Packet, ProcessStats, ProcessTree, Task, TraceBuilder};

const PROCESSES: u32 = 2;
const FTRACE: u32 = 3;

const SERVER: i32 = 500;
const REUSED: i32 = 600;

pub fn trace() -> TraceBuilder {
    let first = Task::new("cgi", REUSED);
    TraceBuilder::new()
        .packet(
            Packet::new().sequence(PROCESSES).timestamp(1_000).process_tree(
                ProcessTree::new()
                    .process(SERVER, 1, &["/bin/server", "-p", "80"], 10_123)
                    .thread(501, SERVER, "pool"),
            ),
        )
        .packet(
            Packet::new()
                .sequence(PROCESSES)
                .timestamp(2_000)
                .process_stats(ProcessStats::new().process(SERVER, 2_000, 1_000, -500)),
        )
        .packet(
            Packet::new()
                .sequence(PROCESSES)
                .timestamp(2_500)
                .process_stats(ProcessStats::new().process(SERVER, 2_000, 1_500, -500)),
        )
        .packet(
            Packet::new().sequence(FTRACE).ftrace(
                FtraceBundle::new(0)
                    .event(FtraceEvent::task_newtask(3_000, SERVER, REUSED, "cgi", 0))
                    .event(FtraceEvent::sched_process_exit(3_400, first, REUSED))
                    .event(FtraceEvent::sched_process_free(3_500, SERVER, first))
                    .event(FtraceEvent::task_newtask(4_000, SERVER, REUSED, "cgi2", 0)),
            ),
        )
}
