//! Events as rows of their own, with their arguments.

use tpq_ingest::Span;
use tpq_tables::{Stats, Tables};

use super::event::FtraceEvent;
use crate::event::RunEvent;
use tpq_trackers::deferred::{EventArgs, FUNCTIONS, KernelEvent};
use tpq_trackers::track::{Trackers, Utid};

/// Adds an event in its full form, with its message at `data`; `number` is that of the field it
/// lies in.
///
/// Without `ftrace_event`, only the other effects remain: the row of the CPU, and the count of
/// missing function names.
// With its caller, so that an event is put together where it will lie.
#[inline(always)]
pub(super) fn record(
    event: &FtraceEvent<'_>,
    (number, data): (u32, Span),
    utid: Utid,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let ucpu = trackers.cpus.get(event.machine, event.cpu, tables);
    if !trackers.has_ftrace_event {
        if FUNCTIONS.iter().any(|&(event, _)| event == number) {
            look_up_functions(event, number, tables, stats);
        }
        return;
    }
    let common_flags = event.common_flags.unwrap_or_default();
    let args = EventArgs::Message { number, data, generation: event.generation };
    let row = KernelEvent { ts: event.ts, utid, ucpu, common_flags, args };
    push(row, trackers, tables);
}

#[inline(always)]
fn push(event: KernelEvent, trackers: &mut Trackers, tables: &mut Tables) {
    trackers.deferred.name_kind(event.args.kind(), &mut tables.strings);
    trackers.deferred.push_event(event);
}

/// Counts the functions that no name is known of.
fn look_up_functions(event: &FtraceEvent<'_>, number: u32, tables: &mut Tables, stats: &mut Stats) {
    for field in event.fields().filter(|field| FUNCTIONS.contains(&(number, field.number))) {
        event.symbol(field.as_u64(), tables, stats);
    }
}

/// Adds a switch or a wakeup that came in the compact form, by the thread that was running.
#[inline(always)]
pub(super) fn record_compact(
    event: &RunEvent<'_>,
    (utid, common_flags): (Utid, u32),
    args: EventArgs,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let ucpu = trackers.cpus.get(event.machine, event.cpu, tables);
    if trackers.has_ftrace_event {
        let row = KernelEvent { ts: event.ts, utid, ucpu, common_flags, args };
        push(row, trackers, tables);
    }
}
