//! Work the kernel does in threads of its own.

use tpq_proto::fields::ftrace::{ftrace_event, workqueue_execute_start};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{NewSlice, SliceEnd, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::WORKQUEUE_EXECUTE_START, execute_start),
    (ftrace_event::WORKQUEUE_EXECUTE_END, execute_end),
];

/// The field of the function that is to do the work.
const FUNCTION: u32 = workqueue_execute_start::FUNCTION;

fn execute_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = event.symbol_or_hex(event.int(FUNCTION) as u64, tables, stats);
    let track = event.thread_track(trackers, tables);
    let category = tables.strings.intern("workqueue");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    let cpu = ArgValue::Int(i64::from(event.cpu));
    let args = ArgSet::of([("cpu", cpu)], &mut tables.strings);
    trackers.begin_slice(slice, args, tables, stats);
}

fn execute_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.thread_track(trackers, tables);
    let category = tables.strings.intern("workqueue");
    let end = SliceEnd { ts: event.ts, track, category, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
