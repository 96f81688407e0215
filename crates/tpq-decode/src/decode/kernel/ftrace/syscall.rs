//! System calls.

use tpq_proto::fields::ftrace::{ftrace_event, sys_enter, sys_exit};
use tpq_tables::{Stat, Stats, Tables};

use super::event::{Events, FtraceEvent, thread_track};
use super::syscall_names;
use tpq_trackers::args::{ArgSet, add_syscall_args};
use tpq_trackers::track::{Call, NewSlice, SliceEnd, SyscallHandling, Trackers};

pub(super) const EVENTS: Events =
    &[(ftrace_event::SYS_ENTER, enter), (ftrace_event::SYS_EXIT, exit)];

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
    trackers.source.syscalls.call(arch, number, || {
        let known = syscall_names::name(tables.strings.get(arch), number);
        if known.is_none() && !(0..MAX_NUMBER).contains(&number) {
            return None;
        }
        let name = known.map_or_else(|| format!("sys_{number}"), |name| format!("sys_{name}"));
        let handling = match known {
            Some("write") => SyscallHandling::Write,
            Some("rt_sigreturn") => SyscallHandling::ReturnFromSignal,
            _ => SyscallHandling::Nothing,
        };
        Some(Call { name: tables.strings.intern(&name), handling })
    })
}

fn enter(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let number = event.fields().find(|field| field.number == sys_enter::ID);
    let number = number.map(|number| number.as_i64()).unwrap_or_default();
    let Some(Call { name, handling }) = call(event, number, trackers, tables) else { return };
    let utid = event.running(trackers, tables);
    let track = thread_track(utid, trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    if handling == SyscallHandling::ReturnFromSignal {
        trackers.instant(slice, &arguments(event, tables), tables, stats);
        return;
    }
    if handling == SyscallHandling::Write {
        trackers.source.syscalls.writing.insert(utid);
    }
    match event.span {
        Some(span) => trackers.begin_call(slice, span, tables, stats),
        None => {
            let args = arguments(event, tables);
            trackers.begin_slice(slice, args, tables, stats);
        }
    }
}

/// Arguments of a call.
fn arguments(event: &FtraceEvent<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    add_syscall_args(event.data, &mut args, &mut tables.strings);
    args
}

/// Ends the call. Programs write in bursts, so where entries were lost, the exit of a later write
/// must not end an earlier one.
fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (mut number, mut ret) = (None, None);
    for field in event.fields() {
        match field.number {
            sys_enter::ID => number = number.or(Some(field.as_i64())),
            sys_exit::RET => ret = ret.or(Some(field.as_i64())),
            _ => {}
        }
    }
    let call = call(event, number.unwrap_or_default(), trackers, tables);
    let Some(Call { name, handling }) = call else { return };
    let utid = event.running(trackers, tables);
    if handling == SyscallHandling::Write && !trackers.source.syscalls.writing.remove(&utid) {
        return;
    }
    let track = thread_track(utid, trackers, tables);
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    let ret = ret.map(|ret| (trackers.source.syscalls.ret(&mut tables.strings), ret));
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
    if !trackers.source.syscalls.writing.remove(&utid) {
        return;
    }
    stats.increment(Stat::TruncatedSysWriteDuration);
    let track = event.thread_track(trackers, tables);
    let name = tables.strings.intern("sys_write");
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
