//! System calls.

use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use super::syscall_names;
use crate::track::{NewSlice, Trackers};

pub(super) const EVENTS: Events = &[(329, enter), (330, exit)];

/// The calls that need care of their own.
const WRITE: &str = "write";
const RETURN_FROM_SIGNAL: &str = "rt_sigreturn";

/// The name of the event's call, where number and architecture are known.
fn known_name(event: &FtraceEvent<'_>, tables: &Tables) -> Option<&'static str> {
    let arch = tables.machine.arch.get(event.machine);
    syscall_names::name(tables.strings.get(arch), event.int(1))
}

fn slice_name(event: &FtraceEvent<'_>, known: Option<&str>, tables: &mut Tables) -> StringId {
    match known {
        Some(name) => tables.strings.intern(&format!("sys_{name}")),
        None => tables.strings.intern(&format!("sys_{}", event.int(1))),
    }
}

fn enter(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let known = known_name(event, tables);
    let name = slice_name(event, known, tables);
    let track = event.thread_track(trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    // The return from a signal's handler goes elsewhere than it came from: it has no exit.
    if known == Some(RETURN_FROM_SIGNAL) {
        trackers.slices.complete(slice, 0, tables, stats);
        return;
    }
    if known == Some(WRITE) {
        let utid = event.utid(trackers, tables);
        trackers.writing.insert(utid);
    }
    trackers.slices.begin(slice, tables, stats);
}

/// Ends the call. Programs write in bursts, so where entries were lost, the exit of a later write
/// must not end an earlier one.
fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let known = known_name(event, tables);
    let utid = event.utid(trackers, tables);
    if known == Some(WRITE) && !trackers.writing.remove(&utid) {
        return;
    }
    let name = slice_name(event, known, tables);
    let track = event.thread_track(trackers, tables);
    trackers.slices.end(event.ts, track, StringId::NULL, name, tables, stats);
}
