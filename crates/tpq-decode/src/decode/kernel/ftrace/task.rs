//! Tasks that begin, change their names and end.

use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{NewTask, Trackers};

pub(super) const EVENTS: Events = &[(235, new_task), (236, rename), (240, free)];

fn new_task(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let child = event.int(1) as i32;
    let comm = event.text(2, tables);
    let clone_flags = event.int(3) as u64;
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
    let tid = event.tid(event.int(1) as i32);
    let comm = event.text(3, tables);
    trackers.processes.rename(tid, comm, tables);
}

/// The kernel freed what it knew of a task: nothing of it can follow. Its exit comes before, and
/// is itself followed by the switch away from it.
fn free(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let tid = event.tid(event.int(2) as i32);
    trackers.processes.end_thread(event.ts, tid, tables);
}
