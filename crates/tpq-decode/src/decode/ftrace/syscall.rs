//! System calls.

use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use super::syscall_names;
use crate::track::{NewSlice, Trackers};

pub(super) const EVENTS: Events = &[(329, enter), (330, exit)];

fn name(event: &FtraceEvent<'_>, tables: &mut Tables) -> StringId {
    let number = event.int(1);
    let arch = tables.machine.arch.get(event.machine);
    let known = syscall_names::name(tables.strings.get(arch), number);
    match known {
        Some(name) => tables.strings.intern(&format!("sys_{name}")),
        None => tables.strings.intern(&format!("sys_{number}")),
    }
}

fn enter(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = name(event, tables);
    let utid = event.utid(trackers, tables);
    trackers.in_syscall.insert(utid, event.int(1));
    let track = event.thread_track(trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.slices.begin(slice, tables, stats);
}

/// A thread is in one system call at a time, so an exit that does not follow an entry into the same
/// call lost that entry, and must not end an older one whose exit was lost.
fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let utid = event.utid(trackers, tables);
    if trackers.in_syscall.remove(&utid) != Some(event.int(1)) {
        return;
    }
    let name = name(event, tables);
    let track = event.thread_track(trackers, tables);
    trackers.slices.end(event.ts, track, StringId::NULL, name, tables, stats);
}
