//! A trace of the scheduler: switches and wakings in columns, as recorders write them today.

use tpq_testkit::random::Random;
use tpq_testkit::{
    CompactSched, FtraceBundle, Packet, ProcessTree, Task, TraceBuilder, prev_state,
};

const CPUS: u32 = 8;
const THREADS_PER_CPU: usize = 12;
/// How often every CPU's buffer is read.
const ROUNDS: u64 = 100;
/// Switches of a CPU in a round.
const SWITCHES: u64 = 1_000;
/// From one switch to the next, on average, ns.
const STEP: u64 = 60_000;
/// Rounds between two flushes.
const FLUSH_EVERY: u64 = 10;

/// Every second switch has a waking before it.
pub fn trace() -> Vec<u8> {
    let mut random = Random::new(1);
    let names: Vec<String> =
        (0..CPUS as usize * THREADS_PER_CPU).map(|index| format!("worker-{index:03}")).collect();
    let tasks: Vec<Task<'_>> =
        (1001..).zip(&names).map(|(tid, name)| Task::new(name, tid)).collect();
    let process = ProcessTree::new().process(1000, 1, &["/usr/bin/worker"], 1000);
    let tree = tasks.iter().fold(process, |tree, task| tree.thread(task.tid, 1000, task.comm));
    let mut trace = TraceBuilder::new()
        .packet(super::snapshot(0))
        .packet(Packet::new().timestamp(super::SUSPENDED).process_tree(tree));
    for round in 0..ROUNDS {
        let start = super::SUSPENDED + round * SWITCHES * STEP;
        for (cpu, tasks) in (0..CPUS).zip(tasks.chunks(THREADS_PER_CPU)) {
            let sched = sched_of(cpu, tasks, start, &mut random);
            let bundle = FtraceBundle::new(cpu).compact(sched);
            trace = trace.packet(Packet::new().sequence(1 + cpu).ftrace(bundle));
        }
        if round % FLUSH_EVERY == FLUSH_EVERY - 1 {
            trace = trace.packets(super::flushed_and_read(start + SWITCHES * STEP));
        }
    }
    trace.build()
}

fn sched_of(cpu: u32, tasks: &[Task<'_>], start: u64, random: &mut Random) -> CompactSched {
    const STATES: [i64; 4] = [
        prev_state::RUNNABLE,
        prev_state::SLEEPING,
        prev_state::SLEEPING,
        prev_state::UNINTERRUPTIBLE,
    ];
    let mut sched = CompactSched::new();
    for switch in 0..SWITCHES {
        let at = start + switch * STEP + random.below(STEP as usize / 2) as u64;
        let next = tasks[random.below(tasks.len())];
        if switch % 2 == 0 {
            sched = sched.waking(at, next, cpu.cast_signed(), 0);
        }
        sched = sched.switch(at + STEP / 4, STATES[random.below(STATES.len())], next);
    }
    sched
}
