//! Packets as the network stack receives them.

use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use super::interrupt::end_with;
use crate::track::{ArgValue, NewSlice, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[(365, napi_entry), (366, napi_exit)];

const NAPI_GRO: TrackKind = TrackKind::slices("cpu_napi_gro");

fn napi_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(NAPI_GRO, "Napi Gro", trackers, tables);
    let name = event.text(10, tables);
    let category = tables.strings.intern("napi_gro");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    trackers.slices.begin(slice, tables, stats);
}

fn napi_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(NAPI_GRO, "Napi Gro", trackers, tables);
    end_with(event, track, "ret", ArgValue::Int(event.int(1)), trackers, tables, stats);
}
