//! Events as rows of their own, with their arguments.

use tpq_ingest::Span;
use tpq_tables::{Stats, Tables};

use super::event::FtraceEvent;
use crate::decoder::RunEvent;
use crate::ledger::{EventArgs, FUNCTIONS, KernelEvent};
use crate::track::{NextTask, Trackers, Utid};

/// Adds an event in its full form, whose message lies at `data`; `number` is that of the field it
/// lies in.
///
/// Where events are not wanted as such, all that is left is what they tell of beside their args:
/// that there is the CPU, and that the names of functions are missing.
pub(super) fn record(
    event: &FtraceEvent<'_>,
    (number, data): (u32, Span),
    utid: Utid,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let ucpu = trackers.cpus.get(event.machine, event.cpu, tables);
    if !trackers.kernel_events.are_kept() {
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

fn push(event: KernelEvent, trackers: &mut Trackers, tables: &mut Tables) {
    trackers.ledger.name_kind(event.args.kind(), &mut tables.strings);
    trackers.ledger.push_event(event);
}

/// Counts the functions that no name is known of.
fn look_up_functions(event: &FtraceEvent<'_>, number: u32, tables: &mut Tables, stats: &mut Stats) {
    for field in event.fields().filter(|field| FUNCTIONS.contains(&(number, field.number))) {
        event.symbol(field.as_u64(), tables, stats);
    }
}

/// A switch that came in the compact form, with what the switch before said of the task that ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactSwitch {
    pub(super) previous: NextTask,
    pub(super) previous_utid: Utid,
    /// The bits of the state it was left in.
    pub(super) state: i32,
    pub(super) next: NextTask,
}

/// Adds a switch that came in the compact form.
pub(super) fn record_switch(
    event: &RunEvent<'_>,
    switch: CompactSwitch,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let CompactSwitch { previous, previous_utid, state, next } = switch;
    let args = EventArgs::Switch { previous, state, next };
    push_compact(event, (previous_utid, 0), args, trackers, tables);
}

/// Adds a wakeup of `woken` by `waker` that came in the compact form.
pub(super) fn record_waking(
    event: &RunEvent<'_>,
    waker: Utid,
    woken: NextTask,
    target_cpu: i32,
    common_flags: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let args = EventArgs::Waking { woken, target_cpu };
    push_compact(event, (waker, common_flags), args, trackers, tables);
}

fn push_compact(
    event: &RunEvent<'_>,
    (utid, common_flags): (Utid, u32),
    args: EventArgs,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let ucpu = trackers.cpus.get(event.machine, event.cpu, tables);
    if trackers.kernel_events.are_kept() {
        let row = KernelEvent { ts: event.ts, utid, ucpu, common_flags, args };
        push(row, trackers, tables);
    }
}
