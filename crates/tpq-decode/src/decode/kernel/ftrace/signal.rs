//! Signals sent and received.

use tpq_proto::fields::ftrace::{ftrace_event, signal_deliver, signal_generate};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent, thread_track};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{NewSlice, Trackers, Utid};

pub(super) const EVENTS: Events =
    &[(ftrace_event::SIGNAL_GENERATE, generate), (ftrace_event::SIGNAL_DELIVER, deliver)];

fn generate(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let target =
        trackers.processes.thread(event.tid(event.int(signal_generate::PID) as i32), tables);
    instant(
        event,
        "signal_generate",
        target,
        event.int(signal_generate::SIG),
        trackers,
        tables,
        stats,
    );
}

fn deliver(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let target = event.utid(trackers, tables);
    instant(
        event,
        "signal_deliver",
        target,
        event.int(signal_deliver::SIG),
        trackers,
        tables,
        stats,
    );
}

fn instant(
    event: &FtraceEvent<'_>,
    name: &str,
    target: Utid,
    signal: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut args = ArgSet::default();
    args.add(tables.strings.intern("signal.sig"), ArgValue::Int(signal));
    let slice = NewSlice {
        ts: event.ts,
        track: thread_track(target, trackers, tables),
        name: tables.strings.intern(name),
        category: StringId::NULL,
        arg_set_id: trackers.deferred.intern(&args),
    };
    trackers.source.slices.complete(slice, 0, tables, stats);
}
