//! `android.*`: an app of process 100 and the system server, process 500, write markers.

mod calls_and_locks;
mod cujs;
mod device_states;
mod frames;
mod heap;
mod heap_dumps;
mod jobs;
mod memory;
mod power;
mod startups;
mod system;

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, Task};

use crate::imported::{Imported, recording};

const IDLE: Task<'_> = Task::new("swapper", 0);
/// The main thread of the app.
const APP: i32 = 100;
/// The app's thread that draws.
const RENDER: i32 = 102;
/// The main thread of the system server.
const SYSTEM: i32 = 500;
/// A thread of the system server that serves calls.
const BINDER: i32 = 501;

/// The threads and processes.
fn processes() -> Packet {
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(2, 0, &["kthreadd"], 0)
        .process(3, 2, &["kworker"], 0)
        .process(APP, 1, &["com.example.app"], 10_001)
        .process(SYSTEM, 1, &["system_server"], 1_000)
        .thread(APP, APP, "app")
        .thread(RENDER, APP, "RenderThread")
        .thread(SYSTEM, SYSTEM, "system_server")
        .thread(BINDER, SYSTEM, "binder:500_1");
    Packet::new().sequence(9).timestamp(1).process_tree(tree)
}

/// A recording of what CPU 0 saw from 1 ns on, and further packets.
fn recorded(events: Vec<FtraceEvent>, packets: Vec<Packet>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let kernel = Packet::new().sequence(1).ftrace(bundle);
    Imported::trace(recording().packet(processes()).packet(kernel).packets(packets))
}

/// Markers: when, by which thread, and the line.
fn marks(lines: &[(u64, i32, &str)]) -> Vec<FtraceEvent> {
    lines.iter().map(|&(at, by, line)| FtraceEvent::print(at, by, line)).collect()
}

fn marked(lines: &[(u64, i32, &str)]) -> Imported {
    recorded(marks(lines), Vec::new())
}

/// The rows of a query on a module, columns in single blanks, without the names above.
fn lines(trace: &Imported, module: &str, sql: &str) -> Vec<String> {
    let rows = trace.cells(&format!("INCLUDE PERFETTO MODULE android.{module}; {sql}"));
    rows.into_iter().map(|row| row.join(" ")).collect()
}

/// A packet of the frame timeline: which kind, and the event.
fn frame(at: u64, kind: u32, event: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(76, Message::new().message(kind, event))
}

/// The frame `token` of the app as it was expected and as it was seen, each from one moment to
/// another.
fn app_frame(token: i64, expected: (u64, u64), seen: (u64, u64)) -> Vec<Packet> {
    let surface = |cookie: i64| {
        Message::new().int(1, cookie).int(2, token).int(3, 900).int(4, APP.into()).bytes(5, "app#7")
    };
    let cookie = token * 10;
    vec![
        frame(expected.0, 3, surface(cookie)),
        frame(seen.0, 4, surface(cookie + 1)),
        frame(expected.1, 5, Message::new().int(1, cookie)),
        frame(seen.1, 5, Message::new().int(1, cookie + 1)),
    ]
}

/// The package of the app, of the app id 10001, version 7, to be debugged.
fn packages(packages: &[(&str, u64)]) -> Packet {
    let list = packages.iter().fold(Message::new(), |list, &(name, uid)| {
        list.message(1, Message::new().bytes(1, name).uint(2, uid).uint(3, 1).uint(5, 7))
    });
    Packet::new().sequence(1).timestamp(1).payload(47, list)
}

/// A cold startup from 20 to 1,020: the app binds, starts, resumes and draws frame 55.
fn startup() -> Imported {
    let mut events = vec![FtraceEvent::sched_switch(100, IDLE, 0, Task::new("app", APP))];
    events.extend(marks(&[
        (20, SYSTEM, "S|500|launchingActivity#7|1"),
        (40, SYSTEM, "S|500|launching: com.example.app|2"),
        (200, APP, "B|100|bindApplication"),
        (220, APP, "B|100|VerifyClass a.B"),
        (240, APP, "E|100"),
        (300, APP, "E|100"),
        (320, APP, "B|100|activityStart"),
        (380, APP, "E|100"),
        (400, APP, "B|100|activityResume"),
        (450, APP, "E|100"),
        (600, APP, "B|100|Choreographer#doFrame 55"),
        (650, RENDER, "B|100|DrawFrames 55"),
        (700, APP, "E|100"),
        (750, RENDER, "E|100"),
        (760, APP, "B|100|La/b/C;"),
        (770, APP, "E|100"),
        (800, APP, "B|100|reportFullyDrawn() for com.example.app"),
        (810, APP, "E|100"),
        (850, APP, "B|100|Choreographer#doFrame 56"),
        (860, RENDER, "B|100|DrawFrames 56"),
        (880, APP, "E|100"),
        (900, RENDER, "E|100"),
        (1_000, SYSTEM, "F|500|launching: com.example.app|2"),
        (1_020, SYSTEM, "F|500|launchingActivity#7|1"),
        (1_021, SYSTEM, "I|500|launchingActivity#7:completed-cold:com.example.app"),
    ]));
    events.push(FtraceEvent::sched_switch(1_100, Task::new("app", APP), 1, IDLE));
    let mut frames = app_frame(55, (590, 690), (595, 760));
    frames.extend(app_frame(56, (840, 940), (845, 905)));
    recorded(events, frames)
}

/// A transaction to the system server.
fn send(at: u64, by: i32, id: i64, to_thread: i32, reply: bool, flags: u64) -> FtraceEvent {
    let payload = Message::new()
        .int(1, id)
        .int(2, 77)
        .int(3, SYSTEM.into())
        .int(4, to_thread.into())
        .int(5, reply.into())
        .uint(6, 2)
        .uint(7, flags);
    FtraceEvent::other(at, by, 50, payload)
}

fn receive(at: u64, by: i32, id: i64) -> FtraceEvent {
    FtraceEvent::other(at, by, 51, Message::new().int(1, id))
}

/// The app calls the system server, which sleeps for some of the time; then it sends it something
/// without waiting.
fn calls() -> Imported {
    let app = Task::new("app", APP);
    let server = Task::new("binder:500_1", BINDER);
    let mut events =
        marks(&[(5, APP, "C|100|oom_score_adj|0"), (6, SYSTEM, "C|500|oom_score_adj|-900")]);
    events.extend([
        FtraceEvent::sched_switch(8, IDLE, 0, app),
        send(10, APP, 1, 0, false, 0),
        FtraceEvent::sched_switch(15, app, 1, server),
        receive(20, BINDER, 1),
        FtraceEvent::print(22, BINDER, "B|500|AIDL::java::IActivity::start::server"),
        FtraceEvent::sched_switch(25, server, 1, IDLE),
        FtraceEvent::sched_waking(28, 0, server, 0),
        FtraceEvent::sched_switch(30, IDLE, 0, server),
        FtraceEvent::print(35, BINDER, "E|500"),
        send(40, BINDER, 2, APP, true, 0),
        FtraceEvent::sched_waking(45, BINDER, app, 0),
        FtraceEvent::sched_switch(48, server, 1, app),
        receive(50, APP, 2),
        send(60, APP, 3, 0, false, 1),
        receive(70, BINDER, 3),
        FtraceEvent::print(72, BINDER, "B|500|AIDL::java::IActivity::note::server"),
        FtraceEvent::print(79, BINDER, "E|500"),
        FtraceEvent::sched_switch(90, app, 1, IDLE),
    ]);
    recorded(events, Vec::new())
}
