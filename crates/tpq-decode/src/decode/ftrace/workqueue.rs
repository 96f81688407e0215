//! Work the kernel does in threads of its own.

use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{NewSlice, Trackers};

pub(super) const EVENTS: Events = &[(58, execute_start), (57, execute_end)];

/// The field of the function that is to do the work.
const FUNCTION: u32 = 2;

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
    trackers.slices.begin(slice, tables, stats);
}

fn execute_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.thread_track(trackers, tables);
    let category = tables.strings.intern("workqueue");
    trackers.slices.end(event.ts, track, category, StringId::NULL, tables, stats);
}
