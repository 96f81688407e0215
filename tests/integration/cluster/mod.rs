//! A scheduler and executors as processes: what they answer, and what they survive.

mod answers;
mod deploy;
mod lakes;
mod losses;
mod steps;

use std::io::{BufRead, BufReader};
use std::process::{Output, Stdio};

use tpq_testkit::{
    Annotation, FtraceBundle, FtraceEvent, Packet, ProcessTree, Task, TraceBuilder,
    TrackDescriptor, TrackEvent,
};

use crate::command::{Folder, describe, tpq};
use crate::running::Running;

/// A scheduler with executors. Dropped, they are killed.
struct Nodes {
    address: String,
    executors: Vec<Running>,
    scheduler: Running,
}

/// Starts a command, and returns what follows `name` in its first line on stderr.
fn started(arguments: &[&str], name: &str) -> (Running, String) {
    let mut command = tpq();
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running::start(&mut command);
    let mut stderr = BufReader::new(running.child().stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.strip_prefix(name).unwrap_or_else(|| panic!("{arguments:?}: {line}"));
    let address = address.trim().to_owned();
    // What else it says must not fill the pipe.
    std::thread::spawn(move || stderr.lines().for_each(drop));
    (running, address)
}

impl Nodes {
    fn start(executors: usize) -> Self {
        let scheduler = ["cluster", "scheduler", "--bind", "127.0.0.1:0"];
        let (scheduler, address) = started(&scheduler, "scheduler on ");
        let executor = ["cluster", "executor", "--scheduler", &address, "--tasks", "2"];
        let executors = (0..executors).map(|_| started(&executor, "executor on ").0).collect();
        Self { address, executors, scheduler }
    }

    /// Runs statements on each trace of a folder, here and on the executors, and compares.
    fn agree(&self, folder: &Folder, arguments: &[&str]) -> String {
        let here = each(folder, arguments);
        let there = self.query(folder, arguments);
        assert!(here.status.success(), "{}", describe(&here));
        assert!(there.status.success(), "{arguments:?}: {}", describe(&there));
        let (here, there) = (text(&here), text(&there));
        assert_eq!(here, there, "{arguments:?}");
        there
    }

    fn query(&self, folder: &Folder, arguments: &[&str]) -> Output {
        each(folder, &[arguments, &["--cluster", &self.address]].concat())
    }
}

/// Runs statements on each trace of a folder. The paths are absolute.
fn each(folder: &Folder, arguments: &[&str]) -> Output {
    let all = folder.path("*.pftrace");
    let all = all.to_str().unwrap();
    folder.run(&[&["query", "--each", all], arguments].concat())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Traces with the names 0.pftrace, 1.pftrace and so on, each of another length.
fn traces(count: u64) -> Folder {
    let files: Vec<(String, Vec<u8>)> =
        (0..count).map(|number| (format!("{number}.pftrace"), trace(number))).collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    Folder::of(&files)
}

const IDLE: Task<'_> = Task::new("swapper", 0);
const APP: Task<'_> = Task::new("app", 100);
const WORKER: Task<'_> = Task::new("worker", 101);
const APP_TRACK: u64 = 1;
const WORKER_TRACK: u64 = 2;

/// Two threads that take turns on two processors, with slices that have arguments, in time units
/// that grow with the number of the trace.
fn trace(number: u64) -> Vec<u8> {
    let us = |units: u64| units * 1_000_000 * (number + 1);
    let switches = |cpu: u32, first: Task<'static>, second: Task<'static>, at: u64| {
        [
            FtraceEvent::sched_switch(us(at), IDLE, 0, first),
            FtraceEvent::sched_switch(us(at + 20), first, 0, second),
            FtraceEvent::sched_switch(us(at + 30), second, 2, first),
            FtraceEvent::sched_switch(us(at + 50), first, 1, IDLE),
        ]
        .into_iter()
        .fold(FtraceBundle::new(cpu), FtraceBundle::event)
    };
    let frequencies = [(5, 1_000), (45, 2_000)]
        .into_iter()
        .map(|(at, khz)| FtraceEvent::cpu_frequency(us(at), 0, 0, khz))
        .fold(FtraceBundle::new(0), FtraceBundle::event);
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(100, 1, &["/bin/app"], 1000)
        .thread(101, 100, "worker");
    let tracks = [
        TrackDescriptor::new(APP_TRACK).thread(100, 100, "app"),
        TrackDescriptor::new(WORKER_TRACK).thread(100, 101, "worker"),
    ];
    let tracks = tracks.map(|track| Packet::new().sequence(1).track_descriptor(track));
    let event = |at, event| Packet::new().sequence(1).timestamp(us(at)).track_event(event);
    let begin = |track, name: &str| {
        let size = Annotation::named("size").uint(number + 7);
        TrackEvent::begin(track).name(name).category("cat").annotation(size)
    };
    let slices = [
        event(12, begin(APP_TRACK, "main task")),
        event(15, begin(WORKER_TRACK, "outer")),
        event(20, begin(WORKER_TRACK, "inner")),
        event(30, TrackEvent::end(WORKER_TRACK)),
        event(32, begin(WORKER_TRACK, "inner")),
        event(44, TrackEvent::end(WORKER_TRACK)),
        event(60, TrackEvent::end(APP_TRACK)),
        event(61, TrackEvent::end(WORKER_TRACK)),
    ];
    TraceBuilder::new()
        .packet(Packet::new().trace_uuid(1, number as i64))
        .packets(tracks)
        .packet(Packet::new().sequence(9).timestamp(us(1)).process_tree(tree))
        .packet(Packet::new().sequence(9).ftrace(frequencies))
        .packet(Packet::new().sequence(9).ftrace(switches(0, APP, WORKER, 10)))
        .packet(Packet::new().sequence(9).ftrace(switches(1, WORKER, APP, 15)))
        .packets(slices)
        .build()
}
