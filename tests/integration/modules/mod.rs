//! The modules that come with tpq, package by package: the test writes the trace and the rows
//! next to each other. `all` looks at every one of them.

mod all;
mod android;
mod chrome;
mod counters;
mod export;
mod graphs;
mod intervals;
mod linux;
mod pixel;
mod pkvm;
mod proto_path;
mod sched;
mod slices;
mod stacks;
mod standard;
mod time;
mod viz;
mod wattson;

use tpq_testkit::{
    FtraceBundle, FtraceEvent, Packet, ProcessTree, Task, TraceBuilder, TrackDescriptor, TrackEvent,
};

use crate::imported::Imported;

const IDLE: Task<'_> = Task::new("swapper", 0);
/// The main thread of process 100.
const APP: Task<'_> = Task::new("app", 100);
/// Its other thread.
const WORKER: Task<'_> = Task::new("worker", 101);

/// The track of slices of the main thread.
const APP_TRACK: u64 = 1;
/// The track of slices of the other thread.
const WORKER_TRACK: u64 = 2;
/// The track of slices of the process.
const PROCESS_TRACK: u64 = 3;

/// Nanoseconds of microseconds.
const fn us(microseconds: u64) -> u64 {
    microseconds * 1_000
}

/// Two threads that take turns on CPU 0, in microseconds, where each switches the clock's speed to
/// no good effect:
///
/// ```text
///          10      30      50   60  70   80     100
/// app      Running | R     | Running     | S
/// worker           Running | D      | R  | Running | S
/// kHz (from 5)         1000     | 2000
/// ```
fn kernel() -> Packet {
    let events = [
        FtraceEvent::cpu_frequency(us(5), 0, 0, 1_000),
        FtraceEvent::sched_switch(us(10), IDLE, 0, APP),
        FtraceEvent::sched_switch(us(30), APP, 0, WORKER),
        FtraceEvent::sched_switch(us(50), WORKER, 2, APP),
        FtraceEvent::cpu_frequency(us(60), 100, 0, 2_000),
        FtraceEvent::sched_waking(us(70), 100, WORKER, 0),
        FtraceEvent::sched_switch(us(80), APP, 1, WORKER),
        FtraceEvent::sched_switch(us(100), WORKER, 1, IDLE),
    ];
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    Packet::new().sequence(9).ftrace(bundle)
}

/// The threads and processes: process 100, `/bin/app`, with the threads 100 and 101.
fn processes() -> Packet {
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(100, 1, &["/bin/app"], 1000)
        .thread(101, 100, "worker");
    Packet::new().sequence(9).timestamp(us(1)).process_tree(tree)
}

/// The tracks of slices.
fn tracks() -> [Packet; 3] {
    [
        TrackDescriptor::new(PROCESS_TRACK).process(100, "app"),
        TrackDescriptor::new(APP_TRACK).parent(PROCESS_TRACK).thread(100, 100, "app"),
        TrackDescriptor::new(WORKER_TRACK).parent(PROCESS_TRACK).thread(100, 101, "worker"),
    ]
    .map(|track| Packet::new().sequence(1).track_descriptor(track))
}

/// A slice from one microsecond to another.
fn slice(track: u64, from: u64, to: u64, name: &str) -> [(u64, Packet); 2] {
    let packet = |at, event| (at, Packet::new().sequence(1).timestamp(us(at)).track_event(event));
    let begin = TrackEvent::begin(track).name(name).category("cat");
    [packet(from, begin), packet(to, TrackEvent::end(track))]
}

/// The threads above, with slices in the order of their beginnings and ends.
fn scene(slices: &[[(u64, Packet); 2]]) -> Imported {
    let mut events: Vec<(u64, Packet)> = slices.concat();
    events.sort_by_key(|&(at, _)| at);
    let trace = TraceBuilder::new().packets(tracks()).packet(processes()).packet(kernel());
    Imported::trace(trace.packets(events.into_iter().map(|(_, packet)| packet)))
}

/// The slices that most tests here look at: `outer` from 25 to 95 µs with `inner` from 35 to 60
/// in the worker, `main` from 12 to 78 in the main thread, `startup` from 5 to 110 in the process.
fn slices() -> Imported {
    scene(&[
        slice(WORKER_TRACK, 25, 95, "outer"),
        slice(WORKER_TRACK, 35, 60, "inner"),
        slice(APP_TRACK, 12, 78, "main"),
        slice(PROCESS_TRACK, 5, 110, "startup"),
    ])
}

/// A trace in which nothing but a moment is recorded, at 1,000 ns.
fn empty() -> Imported {
    Imported::trace(crate::imported::recording().packet(crate::imported::instant(1_000, "it")))
}

/// The rows of a query on a module, columns in single blanks, without the names above.
fn lines(trace: &Imported, module: &str, sql: &str) -> Vec<String> {
    let rows = trace.cells(&format!("INCLUDE PERFETTO MODULE {module}; {sql}"));
    rows.into_iter().map(|row| row.join(" ")).collect()
}
