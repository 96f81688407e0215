//! High-resolution timers that expire.

use tpq_proto::fields::ftrace::{ftrace_event, hrtimer_expire_entry};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{NewSlice, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::HRTIMER_EXPIRE_ENTRY, expire_entry),
    (ftrace_event::HRTIMER_EXPIRE_EXIT, expire_exit),
];

/// The field of the function that is to run.
const FUNCTION: u32 = hrtimer_expire_entry::FUNCTION;

const HRTIMER: TrackKind = TrackKind::slices("cpu_hrtimer");

fn expire_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = event.symbol_or_hex(event.int(FUNCTION) as u64, tables, stats);
    let track = event.cpu_track(HRTIMER, "Hrtimer", trackers, tables);
    let category = tables.strings.intern("hrtimer");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    trackers.source.slices.begin(slice, tables, stats);
}

fn expire_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(HRTIMER, "Hrtimer", trackers, tables);
    let category = tables.strings.intern("hrtimer");
    trackers.source.slices.end(event.ts, track, category, StringId::NULL, tables, stats);
}
