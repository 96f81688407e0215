//! Switches and wakeups in their full form.

use tpq_proto::fields::ftrace::{ftrace_event, sched_blocked_reason, sched_switch, sched_waking};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{NextTask, PreviousTask, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::SCHED_SWITCH, switch),
    (ftrace_event::SCHED_BLOCKED_REASON, blocked_reason),
    (ftrace_event::SCHED_WAKING, waking),
];

fn switch(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut previous = PreviousTask { pid: 0, comm: Default::default() };
    let mut next = NextTask { pid: 0, prio: 0, comm: Default::default() };
    let mut state = 0;
    for field in event.fields() {
        match field.number {
            sched_switch::PREV_COMM => {
                previous.comm = tables.strings.intern_bytes(field.as_bytes())
            }
            sched_switch::PREV_PID => previous.pid = field.as_i32(),
            sched_switch::PREV_STATE => state = field.as_i64(),
            sched_switch::NEXT_COMM => next.comm = tables.strings.intern_bytes(field.as_bytes()),
            sched_switch::NEXT_PID => next.pid = field.as_i32(),
            sched_switch::NEXT_PRIO => next.prio = field.as_i32(),
            _ => {}
        }
    }
    trackers.source.sched.switch(
        event.ts,
        (event.machine, event.cpu),
        Some(previous),
        state,
        next,
        &mut trackers.processes,
        &mut trackers.cpus,
        &mut trackers.deferred,
        tables,
        stats,
    );
}

/// A wakeup begins on the waking CPU, and is what sets a thread runnable. `sched_wakeup`, which
/// ends it later and elsewhere, changes nothing more. Nor does either name the thread: the
/// switches to it do, at the moment it runs.
fn waking(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let tid = event.tid(event.int(sched_waking::PID) as i32);
    let utid = trackers.processes.thread(tid, tables);
    let waker = event.utid(trackers, tables);
    let (ts, common_flags) = (event.ts, event.common_flags);
    trackers.deferred.push_state(StateEvent::Wake { ts, utid, waker, common_flags });
}

/// The reason for a sleep, recorded when the thread wakes.
fn blocked_reason(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let tid = event.tid(event.int(sched_blocked_reason::PID) as i32);
    let utid = trackers.processes.thread(tid, tables);
    let io_wait = event.field(sched_blocked_reason::IO_WAIT).map(|field| field.as_bool());
    let function = event
        .field(sched_blocked_reason::CALLER)
        .and_then(|caller| event.symbol(caller.as_u64(), tables, stats))
        .unwrap_or_default();
    trackers.deferred.push_state(StateEvent::Blocked { utid, io_wait, function });
}
