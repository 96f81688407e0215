//! What a configuration asks for, and whether the trace has it.

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, Task, prev_state};

use super::{ftrace, recorded_with, source};
use crate::command::Folder;
use crate::imported::Imported;

const REQUESTS: &str =
    "SELECT kind, name, is_recorded AS has, trace_id AS file FROM trace_request ORDER BY id";

/// Kernel events of which one occurs, and data sources of which one writes.
fn asked() -> tpq_testkit::TraceBuilder {
    let events = ["sched/sched_switch", "sched/sched_waking", "power/*", "sched/sched_switch"];
    let events = events.iter().fold(Message::new(), |config, name| config.bytes(1, name));
    let sources =
        [ftrace(events), source("linux.sys_stats", None), source("com.example.own", None)];
    let switch =
        FtraceEvent::sched_switch(5, Task::new("a", 7), prev_state::SLEEPING, Task::new("b", 8));
    let bundle = Packet::new().sequence(2).ftrace(FtraceBundle::new(0).event(switch));
    recorded_with(sources).packet(bundle)
}

/// What a pattern stands for is unknown, and so is what a source of another program writes.
#[test]
fn kernel_events_and_data_sources() {
    insta::assert_snapshot!(Imported::trace(asked()).rows(REQUESTS), @r"
    kind          name                has   file
    data_source   linux.ftrace        1     0
    data_source   linux.sys_stats     0     0
    data_source   com.example.own     NULL  0
    kernel_event  sched/sched_switch  1     0
    kernel_event  sched/sched_waking  0     0
    ");
}

#[test]
fn advice_of_check() {
    let folder = Folder::of(&[("a.pftrace", &asked().build())]);
    insta::assert_snapshot!(folder.tell(&["check", "a.pftrace"]), @r"
    exit code: 0
    ----- stdout
    No loss was reported, but not every loss would be reported.

    ! The recorder's statistics are not in the trace: what its buffers lost is not known.
        → They are written when a recording ends: let it end by itself, and copy the whole file.

    The configuration:
    • Data sources that the configuration asks for are without any data: linux.sys_stats.
        → See that their producers run and that their names are right, or leave them out.
    • Kernel events that the configuration asks for never occurred: sched/sched_waking.
        → See that the kernel has them, or leave out those that are not needed.
    ");
}
