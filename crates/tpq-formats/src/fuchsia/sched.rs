//! Switches and wakeups.

use tpq_tables::StringId;
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{Change, MAX_CPUS, Utid};

use super::Context;
use super::args::{ArgKind, read_args};
use super::records::{Header, Words};
use super::tables::Thread;

/// Types of records of the scheduler.
const LEGACY_SWITCH: u64 = 0;
const SWITCH: u64 = 1;
const WAKEUP: u64 = 2;
/// The weight of the thread that runs when no other does.
const IDLE_WEIGHT: i64 = i32::MIN as i64;

/// A thread that begins or ends to run.
#[derive(Clone, Copy)]
struct Task {
    thread: Thread,
    priority: i64,
    is_idle: bool,
}

/// Decodes a record of the scheduler; `None` if it is damaged or of an unknown type.
pub(super) fn decode_sched(
    header: Header,
    mut words: Words<'_>,
    context: &mut Context<'_>,
) -> Option<()> {
    words.u64()?;
    let (offset, definitions) = (context.offset, context.definitions);
    let kind = header.bits(60, 63);
    if kind == LEGACY_SWITCH {
        let task = |thread: Thread, priority: u64| {
            // Priorities are numbers of 8 bits with a sign.
            let priority = i64::from((priority as u8).cast_signed());
            Task { thread, priority, is_idle: thread.pid == 0 && priority == 0 }
        };
        let from = definitions.thread(offset, header.bits(28, 35), &mut words)?;
        let to = definitions.thread(offset, header.bits(36, 43), &mut words)?;
        let from = task(from, header.bits(44, 51));
        let to = task(to, header.bits(52, 59));
        return switch(header.bits(16, 23), header.bits(24, 27), from, to, context);
    }
    let (cpu, count) = (header.bits(20, 35), header.bits(16, 19));
    let tid = words.u64()?;
    let next = if kind == SWITCH { words.u64()? } else { 0 };
    let args = read_args(count, offset, &mut words, definitions, context.tables)?;
    let weight = |name: &str, context: &Context<'_>| {
        let arg = args.iter().find(|arg| context.tables.strings.get(arg.name) == name);
        match arg.map(|arg| arg.value) {
            Some(ArgKind::Int(weight)) => weight,
            _ => 0,
        }
    };
    let task = |tid, priority| {
        let thread = Thread { pid: 0, tid };
        Task { thread, priority, is_idle: priority == IDLE_WEIGHT }
    };
    match kind {
        SWITCH => {
            let from = task(tid, weight("outgoing_weight", context));
            let to = task(next, weight("incoming_weight", context));
            switch(cpu, header.bits(36, 39), from, to, context)
        }
        WAKEUP => {
            let woken = task(tid, weight("weight", context));
            if !woken.is_idle {
                let utid = thread(woken, context);
                let state = context.tables.strings.intern("W");
                enter(utid, state, None, context);
            }
            Some(())
        }
        _ => None,
    }
}

/// The state that a thread has when it stops to run.
fn state_name(state: u64) -> Option<&'static str> {
    match state {
        // New, and running: others run in its place.
        0 | 1 => Some("R"),
        2 => Some("T"),
        3 => Some("S"),
        4 => Some("Z"),
        5 => Some("X"),
        _ => None,
    }
}

fn thread(task: Task, context: &mut Context<'_>) -> Utid {
    let (tid, pid) = (context.tid(task.thread.tid), context.tid(task.thread.pid));
    match task.thread.pid {
        // Its process is unknown, or was stated by another record.
        0 => context.trackers.processes.thread(tid, context.tables),
        _ => context.trackers.processes.thread_of_process(tid, pid, context.tables),
    }
}

/// A CPU switches between threads.
fn switch(cpu: u64, state: u64, from: Task, to: Task, context: &mut Context<'_>) -> Option<()> {
    let cpu = u32::try_from(cpu).ok().filter(|&cpu| cpu <= MAX_CPUS)?;
    let ts = context.ts;
    context.trackers.bounds.include(ts);
    if !from.is_idle {
        let utid = thread(from, context);
        let state = match state_name(state) {
            Some(name) => context.tables.strings.intern(name),
            None => StringId::NULL,
        };
        let source = &mut context.trackers.source;
        source.task_states.stop(ts, cpu, utid, state, context.tables);
        enter(utid, state, None, context);
    }
    if !to.is_idle {
        let utid = thread(to, context);
        let ucpu = context.trackers.cpus.get(context.machine, cpu, context.tables);
        let task = (utid, to.priority as i32);
        let states = &mut context.trackers.source.task_states;
        let change = states.run(ts, (cpu, ucpu), task, context.tables);
        if let Change::Displaced(before) = change {
            enter(before, StringId::NULL, None, context);
        }
        let running = context.tables.strings.intern("Running");
        enter(utid, running, Some(ucpu), context);
    }
    Some(())
}

/// A thread enters a state.
fn enter(utid: Utid, state: StringId, ucpu: Option<u32>, context: &mut Context<'_>) {
    let ts = context.ts;
    context.trackers.source.task_states.note(utid, state);
    context.trackers.deferred.push_state(StateEvent::Change { ts, utid, state, ucpu });
}
