//! System calls.

use tpq_proto::wire::repeated;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use super::syscall_names;
use crate::track::{ArgSet, ArgValue, NewSlice, SliceEnd, Trackers};

pub(super) const EVENTS: Events = &[(329, enter), (330, exit)];

/// The greatest number of calls any architecture has.
const MAX_NUMBER: i64 = 550;
/// The calls that need care of their own.
const WRITE: &str = "write";
const RETURN_FROM_SIGNAL: &str = "rt_sigreturn";

/// The name of the event's call, where number and architecture are known.
fn known_name(event: &FtraceEvent<'_>, tables: &Tables) -> Option<&'static str> {
    let arch = tables.machine.arch.get(event.machine);
    syscall_names::name(tables.strings.get(arch), event.int(1))
}

/// What the slice of a call is named; `None` where there can be no such call.
fn slice_name(
    event: &FtraceEvent<'_>,
    known: Option<&str>,
    tables: &mut Tables,
) -> Option<StringId> {
    let name = match (known, event.int(1)) {
        (Some(name), _) => format!("sys_{name}"),
        (None, number) if (0..MAX_NUMBER).contains(&number) => format!("sys_{number}"),
        (None, _) => return None,
    };
    Some(tables.strings.intern(&name))
}

fn enter(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let known = known_name(event, tables);
    let Some(name) = slice_name(event, known, tables) else { return };
    let track = event.thread_track(trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    let args = arguments(event, trackers, tables);
    // The return from a signal's handler goes elsewhere than it came from: it has no exit.
    if known == Some(RETURN_FROM_SIGNAL) {
        trackers.instant(slice, &args, tables, stats);
        return;
    }
    if known == Some(WRITE) {
        let utid = event.utid(trackers, tables);
        trackers.syscalls.writing.insert(utid);
    }
    trackers.begin_slice(slice, args, tables, stats);
}

/// What the call was given.
fn arguments(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let fields = event.fields().filter(|field| field.number == 2);
    for (position, value) in fields.flat_map(|field| repeated(&field)).enumerate() {
        let keys = trackers.syscalls.keys(position, &mut tables.strings);
        let Some((flat_key, key)) = keys else { break };
        args.add_keyed(flat_key, key, ArgValue::Uint(value));
    }
    args
}

/// Ends the call. Programs write in bursts, so where entries were lost, the exit of a later write
/// must not end an earlier one.
fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let known = known_name(event, tables);
    let utid = event.utid(trackers, tables);
    if known == Some(WRITE) && !trackers.syscalls.writing.remove(&utid) {
        return;
    }
    let Some(name) = slice_name(event, known, tables) else { return };
    let track = event.thread_track(trackers, tables);
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    let ret = event.field(2).map(|ret| ("ret", ArgValue::Int(ret.as_i64())));
    let args = ArgSet::of(ret, &mut tables.strings);
    trackers.end_slice(end, &args, tables, stats);
}

/// Ends the write by which a thread hands over a marker. The slices that markers begin and end
/// would cross those writes otherwise, and slices of a thread may only nest.
pub(super) fn cut_write(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let utid = event.utid(trackers, tables);
    if !trackers.syscalls.writing.remove(&utid) {
        return;
    }
    stats.increment(Stat::TruncatedSysWriteDuration);
    let track = event.thread_track(trackers, tables);
    let Some(name) = slice_name(event, Some(WRITE), tables) else { return };
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
