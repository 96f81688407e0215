//! What user space wrote into the kernel's trace.

use tpq_tables::{Stat, Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use super::systrace::{Marker, Parsed, parse};
use crate::track::{Dimensions, NewSlice, SharedTracks, TrackKind, Trackers, Tracks, Upid};

pub(super) const EVENTS: Events = &[(3, print)];

const ASYNC: TrackKind = TrackKind::slices("atrace_async_slice");
const ASYNC_FOR_TRACK: TrackKind = TrackKind::slices("atrace_async_slice_for_track");
const COUNTER: TrackKind = TrackKind::counter("atrace_counter", None);

fn print(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let Some(text) = event.field(2) else { return };
    let text = String::from_utf8_lossy(text.as_bytes());
    match parse(&text) {
        Parsed::Marker(marker) => apply(event, marker, trackers, tables, stats),
        Parsed::Malformed => stats.increment(Stat::SystraceParseFailure),
        Parsed::Text => {}
    }
}

/// Does what a marker says.
pub(super) fn apply(
    event: &FtraceEvent<'_>,
    marker: Marker<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    match marker {
        Marker::Begin { pid, name } => {
            let track = own_track(event, Some(pid), trackers, tables);
            let name = tables.strings.intern(name);
            let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
            trackers.slices.begin(slice, tables, stats);
        }
        Marker::End { pid } => {
            let track = own_track(event, pid, trackers, tables);
            let any = StringId::NULL;
            trackers.slices.end(event.ts, track, any, any, tables, stats);
        }
        Marker::Instant { pid, name } => {
            let track = own_track(event, Some(pid), trackers, tables);
            let name = tables.strings.intern(name);
            let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
            trackers.slices.complete(slice, 0, tables, stats);
        }
        Marker::Counter { pid, name, value } => {
            let upid = trackers.processes.process(event.tid(pid), tables);
            let name = tables.strings.intern(name);
            let dimensions = Dimensions::process(upid);
            trackers.count((event.ts, value), COUNTER, dimensions, name, tables);
        }
        Marker::AsyncBegin { pid, name, cookie } => {
            begin_async(event, ASYNC, (pid, name, cookie), name, trackers, tables, stats);
        }
        Marker::TrackBegin { pid, track, name, cookie } => {
            let place = (pid, track, cookie);
            begin_async(event, ASYNC_FOR_TRACK, place, name, trackers, tables, stats);
        }
        Marker::AsyncEnd { pid, name, cookie } => {
            end_async(event, ASYNC, (pid, name, cookie), trackers, tables, stats);
        }
        Marker::TrackEnd { pid, track, cookie } => {
            end_async(event, ASYNC_FOR_TRACK, (pid, track, cookie), trackers, tables, stats);
        }
        Marker::TrackInstant { pid, track, name } => {
            let place = (pid, track, 0);
            let name = tables.strings.intern(name);
            let track =
                with_shared(event, ASYNC_FOR_TRACK, place, trackers, tables, |shared, make| {
                    shared.lone_instant(make)
                });
            let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
            trackers.slices.complete(slice, 0, tables, stats);
        }
    }
}

/// The track of the thread that wrote the marker, which names its process.
fn own_track(
    event: &FtraceEvent<'_>,
    pid: Option<i32>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    if let Some(pid) = pid.filter(|&pid| pid != 0) {
        trackers.processes.thread_of_process(event.tid(event.pid), event.tid(pid), tables);
    }
    event.thread_track(trackers, tables)
}

fn begin_async(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    place: (i32, &str, i64),
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let cookie = place.2 as u64;
    let track = with_shared(event, kind, place, trackers, tables, |shared, make| {
        shared.begin(cookie, make)
    });
    let name = tables.strings.intern(name);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.slices.begin(slice, tables, stats);
}

fn end_async(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    place: (i32, &str, i64),
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = with_shared(event, kind, place, trackers, tables, |shared, make| {
        shared.end(place.2 as u64, make)
    });
    let any = StringId::NULL;
    trackers.slices.end(event.ts, track, any, any, tables, stats);
}

/// Finds a track among those that share a process and a name, making one where all are taken.
fn with_shared(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    (pid, name, cookie): (i32, &str, i64),
    trackers: &mut Trackers,
    tables: &mut Tables,
    find: impl FnOnce(&mut SharedTracks, &mut dyn FnMut() -> u32) -> u32,
) -> u32 {
    let upid: Upid = trackers.processes.process(event.tid(pid), tables);
    let name = tables.strings.intern(name);
    let Trackers { async_tracks, args, .. } = trackers;
    let shared = async_tracks.entry((kind.name, upid, name)).or_default();
    let dimension = Dimensions::process(upid).number("cookie", cookie);
    find(shared, &mut || Tracks::make(kind, dimension, name, args, tables))
}
