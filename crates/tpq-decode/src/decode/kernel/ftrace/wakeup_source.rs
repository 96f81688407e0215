//! Wakeup sources, which keep the device awake.

use rustc_hash::FxHashMap;
use tpq_proto::fields::ftrace::{ftrace_event, wakeup_source_activate, wakeup_source_deactivate};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{Dimensions, NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::WAKEUP_SOURCE_ACTIVATE, activate),
    (ftrace_event::WAKEUP_SOURCE_DEACTIVATE, deactivate),
];

const WAKELOCK: TrackKind = TrackKind::slices("wakesource_wakelock");

/// The longest name of a wakelock that is shown, in bytes.
const MAX_NAME: usize = 31;

/// The name of a wakelock's track and slices.
fn title(event: &FtraceEvent<'_>) -> String {
    let mut title = format!("Wakelock({})", event.part(wakeup_source_activate::NAME));
    title.truncate(title.floor_char_boundary(MAX_NAME));
    title
}

fn track(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let source = event.text(wakeup_source_activate::NAME, tables);
    let dimensions = Dimensions::machine(event.machine).text("wakelock_event", source);
    let name = tables.strings.intern(&title(event));
    trackers.source.tracks.get(WAKELOCK, dimensions, name, &mut trackers.deferred, tables)
}

/// Number of activations of each wakeup source, by name.
#[derive(Default)]
struct ActiveSources(FxHashMap<StringId, u32>);

/// A source may be activated several times; it is active until the last of them is over.
fn activate(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let source = event.text(wakeup_source_activate::NAME, tables);
    let ActiveSources(sources) = trackers.source.states.get();
    let active = sources.entry(source).or_default();
    *active += 1;
    if *active > 1 {
        return;
    }
    let track = track(event, trackers, tables);
    let name = tables.strings.intern(&title(event));
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn deactivate(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let source = event.text(wakeup_source_deactivate::NAME, tables);
    let ActiveSources(sources) = trackers.source.states.get();
    let active = sources.entry(source).or_default();
    let was = *active;
    *active = was.saturating_sub(1);
    if was != 1 {
        return;
    }
    let track = track(event, trackers, tables);
    let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
