//! System calls.

use tpq_proto::wire::{Fields, Packed, Value};
use tpq_tables::{Stat, Stats, StringPool, Tables};

use super::event::{Events, FtraceEvent, thread_track};
use super::syscall_names;
use crate::deferred::{ArgSet, ArgValue};
use crate::track::{Call, Care, NewSlice, SliceEnd, Trackers};

pub(super) const EVENTS: Events = &[(329, enter), (330, exit)];

/// Numbers of the fields of both events.
mod field {
    /// The call's number.
    pub(super) const NUMBER: u32 = 1;
    /// What it is given, or gives back.
    pub(super) const VALUE: u32 = 2;
}

/// The key of all a call is given, and the keys of each. The kernel's calls are given six.
const FLAT_KEY: &str = "args";
const KEYS: [&str; 16] = [
    "args[0]", "args[1]", "args[2]", "args[3]", "args[4]", "args[5]", "args[6]", "args[7]",
    "args[8]", "args[9]", "args[10]", "args[11]", "args[12]", "args[13]", "args[14]", "args[15]",
];

/// The greatest number of calls any architecture has.
const MAX_NUMBER: i64 = 550;

/// The event's call. `None` where there can be no such call.
fn call(
    event: &FtraceEvent<'_>,
    number: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<Call> {
    let arch = tables.machine.arch.get(event.machine);
    trackers.syscalls.call(arch, number, || {
        let known = syscall_names::name(tables.strings.get(arch), number);
        if known.is_none() && !(0..MAX_NUMBER).contains(&number) {
            return None;
        }
        let name = known.map_or_else(|| format!("sys_{number}"), |name| format!("sys_{name}"));
        let care = match known {
            Some("write") => Care::Write,
            Some("rt_sigreturn") => Care::ReturnFromSignal,
            _ => Care::Nothing,
        };
        Some(Call { name: tables.strings.intern(&name), care })
    })
}

fn enter(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let number = event.fields().find(|field| field.number == field::NUMBER);
    let number = number.map(|number| number.as_i64()).unwrap_or_default();
    let Some(Call { name, care }) = call(event, number, trackers, tables) else { return };
    let utid = event.running(trackers, tables);
    let track = thread_track(utid, trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    if care == Care::ReturnFromSignal {
        trackers.instant(slice, &arguments(event, tables), tables, stats);
        return;
    }
    if care == Care::Write {
        trackers.syscalls.writing.insert(utid);
    }
    match event.span {
        Some(span) => trackers.begin_call(slice, span, tables, stats),
        None => {
            let args = arguments(event, tables);
            trackers.begin_slice(slice, args, tables, stats);
        }
    }
}

/// What a call was given.
fn arguments(event: &FtraceEvent<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    add_args(event.data, &mut args, &mut tables.strings);
    args
}

/// Adds what a call was given, as the message of the event says that begins it.
pub(crate) fn add_args(message: &[u8], args: &mut ArgSet, strings: &mut StringPool) {
    let (flat_key, mut keys) = (strings.intern(FLAT_KEY), KEYS.iter());
    let mut add = |value| {
        if let Some(key) = keys.next() {
            let key = strings.intern(key);
            args.add_keyed(flat_key, key, ArgValue::Uint(value));
        }
    };
    for field in Fields::new(message).filter(|field| field.number == field::VALUE) {
        match field.value {
            Value::Bytes(packed) => Packed::new(packed).for_each(&mut add),
            _ => add(field.as_u64()),
        }
    }
}

/// Ends the call. Programs write in bursts, so where entries were lost, the exit of a later write
/// must not end an earlier one.
fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (mut number, mut ret) = (None, None);
    for field in event.fields() {
        match field.number {
            field::NUMBER => number = number.or(Some(field.as_i64())),
            field::VALUE => ret = ret.or(Some(field.as_i64())),
            _ => {}
        }
    }
    let call = call(event, number.unwrap_or_default(), trackers, tables);
    let Some(Call { name, care }) = call else { return };
    let utid = event.running(trackers, tables);
    if care == Care::Write && !trackers.syscalls.writing.remove(&utid) {
        return;
    }
    let track = thread_track(utid, trackers, tables);
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    let ret = ret.map(|ret| (trackers.syscalls.ret(&mut tables.strings), ret));
    trackers.end_call(end, ret, tables, stats);
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
