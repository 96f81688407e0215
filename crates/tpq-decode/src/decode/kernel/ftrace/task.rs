//! Tasks that begin, change their names and end.

use tpq_proto::fields::ftrace::{ftrace_event, sched_process_free, task_newtask, task_rename};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{NewTask, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::TASK_NEWTASK, new_task),
    (ftrace_event::TASK_RENAME, rename),
    (ftrace_event::SCHED_PROCESS_FREE, free),
];

fn new_task(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let child = event.int(task_newtask::PID) as i32;
    let comm = event.text(task_newtask::COMM, tables);
    let clone_flags = event.int(task_newtask::CLONE_FLAGS) as u64;
    // At boot the first process is seen to make the idle tasks, which exist already.
    if child == 0 {
        return;
    }
    let [parent, child] = [event.pid, child].map(|pid| event.tid(pid));
    let task = NewTask { ts: event.ts, parent, child, clone_flags, comm };
    let utid = trackers.processes.new_task(task, tables, stats);
    let waker = event.utid(trackers, tables);
    let (ts, common_flags) = (event.ts, event.common_flags);
    trackers.deferred.push_state(StateEvent::Start { ts, utid, waker, common_flags });
}

fn rename(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let tid = event.tid(event.int(task_rename::PID) as i32);
    let comm = event.text(task_rename::NEWCOMM, tables);
    trackers.processes.rename(tid, comm, tables);
}

/// The kernel freed what it knew of a task: nothing of it can follow. Its exit comes before, and
/// is itself followed by the switch away from it.
fn free(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let tid = event.tid(event.int(sched_process_free::PID) as i32);
    trackers.processes.end_thread(event.ts, tid, tables);
}
