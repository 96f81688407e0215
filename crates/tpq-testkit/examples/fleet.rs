//! Writes the traces of a fleet: `cargo run --release -p tpq-testkit --example fleet -- DIR COUNT`.
//!
//! Each trace has about 1 MB: switches of the scheduler, and slices `frame` of 4 to 8 ms. In every
//! 33rd trace the frames take three times as long, in 30 of 1,000; `slow.txt` in the folder lists
//! these. A trace was recorded half an hour after the one before, so that 48 are of one day.

use std::path::Path;
use std::{env, fs, io};

use tpq_testkit::random::Random;
use tpq_testkit::{
    ClockSnapshot, CompactSched, FtraceBundle, Packet, ProcessTree, Task, TraceBuilder,
    TrackDescriptor, TrackEvent, clock_id, prev_state,
};

const CPUS: u32 = 4;
const THREADS: usize = 40;
/// Bundles of each CPU.
const ROUNDS: u64 = 28;
/// Switches of a CPU in a bundle.
const SWITCHES: u64 = 700;
/// From one switch to the next, ns.
const STEP: u64 = 40_000;
const START: u64 = 1_000_000_000;
const SINCE_EPOCH: u64 = 1_700_000_000_000_000_000;
/// From the recording of one trace to that of the next, ns.
const BETWEEN: u64 = 1_800_000_000_000;
/// From one frame to the next, ns.
const FRAME: u64 = 16_000_000;
/// Every trace of which the number leaves `SLOW_AT` when divided by this is slow.
const SLOW_EVERY: usize = 33;
const SLOW_AT: usize = 13;

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(folder), Some(count)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: fleet DIR COUNT"));
    };
    let count: usize = count.parse().map_err(io::Error::other)?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let mut slow = String::new();
    for number in 0..count {
        let name = format!("run{number:06}.pftrace");
        let is_slow = number % SLOW_EVERY == SLOW_AT;
        fs::write(folder.join(&name), trace(number, is_slow))?;
        if is_slow {
            slow.push_str(&name);
            slow.push('\n');
        }
    }
    fs::write(folder.join("slow.txt"), slow)
}

fn trace(number: usize, is_slow: bool) -> Vec<u8> {
    let mut random = Random::new(number as u64 + 1);
    let names: Vec<String> = (0..THREADS).map(|thread| format!("worker-{thread:02}")).collect();
    let tasks: Vec<Task<'_>> =
        (1001..).zip(&names).map(|(tid, name)| Task::new(name, tid)).collect();
    let process = ProcessTree::new().process(1000, 1, &["/usr/bin/app"], 1000);
    let tree = tasks.iter().fold(process, |tree, task| tree.thread(task.tid, 1000, task.comm));
    let clocks = ClockSnapshot::new()
        .clock(clock_id::MONOTONIC, START)
        .clock(clock_id::BOOTTIME, START)
        .clock(clock_id::REALTIME, SINCE_EPOCH + number as u64 * BETWEEN);
    let mut trace = TraceBuilder::new()
        .packet(Packet::new().timestamp(START).trace_uuid(1, number as i64))
        .packet(Packet::new().timestamp(START).clock_snapshot(clocks))
        .packet(Packet::new().timestamp(START).process_tree(tree));
    for round in 0..ROUNDS {
        let from = START + round * SWITCHES * STEP;
        for cpu in 0..CPUS {
            let bundle = FtraceBundle::new(cpu).compact(switches(&tasks, from, &mut random));
            trace = trace.packet(Packet::new().sequence(1 + cpu).ftrace(bundle));
        }
    }
    frames(trace, is_slow, &mut random).build()
}

fn switches(tasks: &[Task<'_>], from: u64, random: &mut Random) -> CompactSched {
    (0..SWITCHES).fold(CompactSched::new(), |sched, switch| {
        let at = from + switch * STEP + random.below(STEP as usize / 2) as u64;
        let next = tasks[random.below(tasks.len())];
        let sched = if switch % 2 == 0 { sched.waking(at, next, 0, 0) } else { sched };
        sched.switch(at + STEP / 4, prev_state::SLEEPING, next)
    })
}

/// The frames of the main thread, until the switches end.
fn frames(trace: TraceBuilder, is_slow: bool, random: &mut Random) -> TraceBuilder {
    const TRACK: u64 = 1;
    const SEQUENCE: u32 = 100;
    let packet = |at: u64| Packet::new().timestamp(at).sequence(SEQUENCE);
    let descriptor = TrackDescriptor::new(TRACK).thread(1000, 1001, "main");
    let mut trace = trace.packet(packet(START).first_on_sequence().track_descriptor(descriptor));
    let mut at = START;
    while at < START + ROUNDS * SWITCHES * STEP {
        let dur = 4_000_000 + random.below(4_000_000) as u64;
        let dur = if is_slow { dur * 3 } else { dur };
        let begin = TrackEvent::begin(TRACK).name("frame").category("app");
        trace = trace
            .packet(packet(at).track_event(begin))
            .packet(packet(at + dur).track_event(TrackEvent::end(TRACK)));
        at += FRAME.max(dur);
    }
    trace
}
