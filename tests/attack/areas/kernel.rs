//! Kernels: events of Linux for processes, networks, functions and drivers, of Windows, and of
//! other systems.

use tpq_testkit::{CompactSched, FtraceBundle, FtraceEvent, Message, Packet, Task, TraceBuilder};

use super::{interned, message, packet, string};
use crate::bases::{Base, plain};

const APP: Task<'_> = Task::new("app", 101);
const OTHER: Task<'_> = Task::new("other", 102);

pub fn bases() -> Vec<Base> {
    vec![
        plain("linux", TraceBuilder::new().packets(linux()).build()),
        plain("windows", TraceBuilder::new().packets([windows()]).build()),
        plain("other systems", TraceBuilder::new().packets(other_systems()).build()),
    ]
}

/// Kernel events by the field of each, by thread 101, 10 ns apart.
fn bundle(events: impl IntoIterator<Item = (u32, Message)>) -> FtraceBundle {
    (0..).zip(events).fold(FtraceBundle::new(0), |bundle, (number, (field, event))| {
        bundle.event(FtraceEvent::other(1_000 + 10 * number, APP.tid, field, event))
    })
}

fn linux() -> Vec<Packet> {
    let tasks = FtraceBundle::new(0)
        .event(FtraceEvent::sched_switch(100, APP, 1, OTHER))
        .event(FtraceEvent::sched_waking(150, OTHER.tid, APP, 0))
        .event(FtraceEvent::sched_switch(200, OTHER, 0, APP))
        .event(FtraceEvent::task_newtask(210, APP.tid, 103, "new", 0x10000))
        .event(FtraceEvent::task_rename(220, 103, "new", "named"))
        .event(FtraceEvent::sched_process_exit(230, OTHER, 102))
        .event(FtraceEvent::sched_process_free(240, APP.tid, OTHER));
    let socket = message().uint(2, 443).uint(3, 2).int(4, 1).int(5, 2).uint(6, 6).uint(8, 7);
    let network = bundle([
        (360, message().uint(1, 1_500).bytes(2, "eth0").uint(3, 1)),
        (361, message().uint(1, 1_500).bytes(2, "eth0").int(3, 0)),
        (362, socket.uint(9, 5_000)),
        (363, message().uint(2, 443).uint(6, 5_000)),
        (365, message().uint(7, 1_500).bytes(10, "wlan0")),
        (366, message().int(1, 3)),
        (367, message().uint(1, 9).uint(2, 0x800)),
    ]);
    let blocked = message().int(1, 101).uint(2, 1).uint(3, 1);
    let functions = bundle([
        (437, message().int(1, 0).uint(2, 1)),
        (438, message().int(2, 0).uint(3, 1)),
        (542, message().bytes(1, "do_open").int(2, 2)),
        (18, blocked),
        (329, message().int(1, 3).packed(2, [1, 2])),
        (330, message().int(1, 3).int(2, 0)),
    ]);
    let limits = message().uint(1, 300_000).uint(2, 2_800_000).uint(3, 2);
    let hardware = bundle([
        (11, message().uint(1, 1_200_000).uint(2, 3)),
        (12, limits),
        (421, message().uint(2, 1024).uint(4, 2).uint(6, 300).uint(11, 5)),
        (411, message().uint(2, 0xa).uint(4, 1).bytes(6, "gfx")),
        (412, message().uint(2, 0xa).uint(4, 1).bytes(6, "gfx")),
        (413, message().uint(1, 0xa)),
        (414, message().uint(1, 9).uint(3, 1).bytes(4, "gfx")),
        (416, message().uint(1, 9).uint(3, 1).bytes(4, "gfx")),
        (313, message().int(1, 1).int(2, 4_096).uint(3, 1).uint(4, 7)),
        (3, message().uint(1, 1).bytes(2, "B|101|work")),
    ]);
    let compact = CompactSched::new().switch(300, 1, OTHER).switch(310, 1, APP);
    let ftrace = |bundle| Packet::new().sequence(1).ftrace(bundle);
    vec![
        interned(message().message(26, string(1, "wait_on_page"))),
        ftrace(tasks),
        ftrace(network),
        ftrace(functions),
        ftrace(hardware),
        ftrace(FtraceBundle::new(1).compact(compact)),
    ]
}

fn windows() -> Packet {
    let event =
        |at, field, fields| message().uint(1, at).uint(4, 1).uint(5, 11).message(field, fields);
    let file = message().uint(1, 5).uint(2, 6).uint(3, 11);
    let read = message().uint(1, 0).uint(2, 5).uint(3, 6).uint(5, 11);
    let events = [
        event(10, 2, message().uint(1, 12).uint(2, 11).uint(3, 18).uint(8, 5)),
        event(20, 3, message().uint(1, 11)),
        event(30, 6, message().uint(1, 4).uint(2, 100)),
        event(40, 7, file.bytes(7, "C:\\a")),
        event(50, 10, read),
        event(60, 12, message().uint(1, 5).uint(2, 0)),
        event(70, 15, message().uint(1, 1).uint(3, 4_096)),
    ];
    let bundle = events.into_iter().fold(message().uint(1, 7), |bundle, it| bundle.message(2, it));
    Packet::new().sequence(1).timestamp(1).payload(95, bundle)
}

fn other_systems() -> Vec<Packet> {
    let state = |at, cpu, tid, state| {
        let event = message().uint(1, cpu).bytes(2, "task").int(3, tid).uint(4, state).int(5, 20);
        packet(at, 117, event)
    };
    let process = message().int(1, 500).int(2, 1).bytes(3, "program");
    let thread = message().int(1, 501).int(2, 500).bytes(3, "worker").bool(4, true);
    vec![
        interned(message()),
        packet(5, 122, message().message(1, process).message(2, thread)),
        state(10, 0, 501, 3),
        state(20, 1, 502, 2),
        state(30, 0, 501, 4),
        state(40, 0, 502, 3),
        packet(50, 118, message().int(1, 0).int(2, 1_200)),
        packet(60, 120, message().int(1, 501).bytes(2, "renamed")),
        packet(70, 130, message().message(1, message().int(1, 3).bytes(2, "timer"))),
    ]
}
