//! System calls.

use tpq_proto::wire::{Packed, Value};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use super::syscall_names;
use crate::ledger::{ArgSet, ArgValue};
use crate::track::{NewSlice, SliceEnd, Trackers};

pub(super) const EVENTS: Events = &[(329, enter), (330, exit)];

/// The greatest number of calls any architecture has.
const MAX_NUMBER: i64 = 550;
/// The calls that need care of their own.
const WRITE: &str = "write";
const RETURN_FROM_SIGNAL: &str = "rt_sigreturn";

/// The event's call: its name, where number and architecture are known, and what its slice is
/// named. `None` where there can be no such call.
fn call(
    event: &FtraceEvent<'_>,
    number: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<(Option<&'static str>, StringId)> {
    let arch = tables.machine.arch.get(event.machine);
    if let Some(&call) = trackers.syscalls.calls.get(&(arch, number)) {
        return Some(call);
    }
    let known = syscall_names::name(tables.strings.get(arch), number);
    if known.is_none() && !(0..MAX_NUMBER).contains(&number) {
        return None;
    }
    let name = known.map_or_else(|| format!("sys_{number}"), |name| format!("sys_{name}"));
    let call = (known, tables.strings.intern(&name));
    trackers.syscalls.calls.insert((arch, number), call);
    Some(call)
}

fn enter(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (number, args) = arguments(event, trackers, tables);
    let Some((known, name)) = call(event, number, trackers, tables) else { return };
    let track = event.thread_track(trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
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

/// The call's number, and what it was given.
fn arguments(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> (i64, ArgSet) {
    let mut number = None;
    let mut args = ArgSet::default();
    let mut positions = 0..;
    let mut add = |value| {
        let keys = positions.next().and_then(|at| trackers.syscalls.keys(at, &mut tables.strings));
        if let Some((flat_key, key)) = keys {
            args.add_keyed(flat_key, key, ArgValue::Uint(value));
        }
    };
    for field in event.fields() {
        match (field.number, field.value) {
            (1, _) => number = number.or(Some(field.as_i64())),
            (2, Value::Bytes(packed)) => Packed::new(packed).for_each(&mut add),
            (2, _) => add(field.as_u64()),
            _ => {}
        }
    }
    (number.unwrap_or_default(), args)
}

/// Ends the call. Programs write in bursts, so where entries were lost, the exit of a later write
/// must not end an earlier one.
fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (mut number, mut ret) = (None, None);
    for field in event.fields() {
        match field.number {
            1 => number = number.or(Some(field.as_i64())),
            2 => ret = ret.or(Some(field.as_i64())),
            _ => {}
        }
    }
    let call = call(event, number.unwrap_or_default(), trackers, tables);
    let Some((known, name)) = call else { return };
    let utid = event.utid(trackers, tables);
    if known == Some(WRITE) && !trackers.syscalls.writing.remove(&utid) {
        return;
    }
    let track = event.thread_track(trackers, tables);
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    let mut args = ArgSet::default();
    if let Some(ret) = ret {
        args.add(trackers.syscalls.ret(&mut tables.strings), ArgValue::Int(ret));
    }
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
    let name = tables.strings.intern("sys_write");
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
