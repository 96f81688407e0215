//! A server and its memory, a daemon that overwrote its command line with its state, a process that
//! a program described, and two processes that have the same pid one after the other.

use crate::{
    FtraceBundle, FtraceEvent, Packet, ProcessStats, ProcessTree, Task, TraceBuilder,
    TrackDescriptor,
};

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
                    .process(510, 1, &["daemon: running [host]"], 0)
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
        .packet(Packet::new().sequence(10).timestamp(2_600).track_descriptor(
            TrackDescriptor::new(1).process_with_cmdline(520, "described", &["/bin/prog", "-x"]),
        ))
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
