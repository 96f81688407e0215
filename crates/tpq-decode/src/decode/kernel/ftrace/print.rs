//! Text that user space wrote into the kernel's trace.

use tpq_proto::fields::ftrace::{ftrace_event, print};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use super::syscall;
use super::systrace::{Marker, Parsed, parse};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[(ftrace_event::PRINT, print)];

const ASYNC: TrackKind = TrackKind::slices("atrace_async_slice");
const ASYNC_FOR_TRACK: TrackKind = TrackKind::slices("atrace_async_slice_for_track");
const COUNTER: TrackKind = TrackKind::counter("atrace_counter", None);

// Markers of the whole device, or of a process other than the one that wrote them.
const DEVICE_STATE: TrackKind = TrackKind::slices("android_device_state");
const SCREEN_STATE: TrackKind = TrackKind::counter("screen_state", None);
const BATTERY_STATS: TrackKind = TrackKind::counter("battery_stats", None);
const LOW_MEMORY_KILL: TrackKind = TrackKind::slices("android_lmk");
const OOM_SCORE: TrackKind = TrackKind::counter("oom_score_adj", None);

fn print(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    syscall::cut_write(event, trackers, tables, stats);
    let Some(text) = event.field(print::BUF) else { return };
    write(event, text.as_bytes(), trackers, tables, stats);
}

/// Runs a line that was written to the trace marker.
pub(super) fn write(
    event: &FtraceEvent<'_>,
    text: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let text: String = text.utf8_chunks().map(|chunk| chunk.valid()).collect();
    match parse(&text) {
        Parsed::Marker(marker) => apply(event, marker, trackers, tables, stats),
        Parsed::Malformed => stats.increment(Stat::SystraceParseFailure),
        Parsed::ClockSync => {}
    }
}

/// Runs a marker.
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
            let slice = new_slice(event, track, name, tables);
            trackers.begin_slice(slice, ArgSet::default(), tables, stats);
            low_memory_kill(event, name, trackers, tables, stats);
        }
        Marker::End { pid } => {
            let track = own_track(event, pid, trackers, tables);
            end(event, track, &ArgSet::default(), trackers, tables, stats);
        }
        Marker::Instant { pid, name } => {
            let track = own_track(event, Some(pid), trackers, tables);
            let slice = new_slice(event, track, name, tables);
            trackers.instant(slice, &ArgSet::default(), tables, stats);
        }
        Marker::Counter { pid, name, value } => {
            count(event, pid, name, value, trackers, tables, stats);
        }
        Marker::AsyncBegin { pid, name, cookie } => {
            begin_async(event, pid, name, cookie, trackers, tables, stats);
        }
        Marker::AsyncEnd { pid, name, cookie } => {
            let sharing = sharing(event, ASYNC, pid, name, trackers, tables);
            let track = trackers.end_shared(sharing, cookie, tables);
            end(event, track, &ArgSet::default(), trackers, tables, stats);
        }
        Marker::TrackBegin { pid, track, name, cookie } => {
            begin_on_track(event, (pid, track), name, cookie, trackers, tables, stats);
        }
        Marker::TrackEnd { pid, track, cookie } => {
            let sharing = sharing(event, ASYNC_FOR_TRACK, pid, track, trackers, tables);
            let track = trackers.end_shared(sharing, cookie, tables);
            let args = writer(event, "end_utid", trackers, tables);
            end(event, track, &args, trackers, tables, stats);
        }
        Marker::TrackInstant { pid, track, name } => {
            instant_on_track(event, pid, track, name, trackers, tables, stats);
        }
    }
}

fn new_slice(event: &FtraceEvent<'_>, track: u32, name: &str, tables: &mut Tables) -> NewSlice {
    let name = tables.strings.intern(name);
    NewSlice { ts: event.ts, track, name, ..NewSlice::default() }
}

/// Ends the innermost slice of a track.
fn end(
    event: &FtraceEvent<'_>,
    track: u32,
    args: &ArgSet,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
    trackers.end_slice(end, args, tables, stats);
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

/// The thread that wrote the marker, as an arg.
fn writer(
    event: &FtraceEvent<'_>,
    key: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> ArgSet {
    let utid = event.utid(trackers, tables);
    ArgSet::of([(key, ArgValue::Uint(u64::from(utid)))], &mut tables.strings)
}

/// The tracks that a process's slices of one name share.
fn sharing(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    pid: i32,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Sharing {
    let upid = trackers.processes.process(event.tid(pid), tables);
    let name = tables.strings.intern(name);
    Sharing { kind, dimensions: Dimensions::process(upid).text("name", name), name }
}

/// Android begins some of these slices several times and ends them once.
fn begin_async(
    event: &FtraceEvent<'_>,
    pid: i32,
    name: &str,
    cookie: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let sharing = sharing(event, ASYNC, pid, name, trackers, tables);
    let track = trackers.begin_unnested_shared(sharing, cookie, tables);
    let slice = new_slice(event, track, name, tables);
    let args = ArgSet::of([("cookie", ArgValue::Int(cookie))], &mut tables.strings);
    trackers.begin_unnested_slice(slice, args, tables, stats);
}

fn begin_on_track(
    event: &FtraceEvent<'_>,
    (pid, track): (i32, &str),
    name: &str,
    cookie: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let sharing = sharing(event, ASYNC_FOR_TRACK, pid, track, trackers, tables);
    let track = trackers.begin_shared(sharing, cookie, tables);
    let slice = new_slice(event, track, name, tables);
    let args = writer(event, "utid", trackers, tables);
    trackers.begin_slice(slice, args, tables, stats);
}

fn instant_on_track(
    event: &FtraceEvent<'_>,
    pid: i32,
    track: &str,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if track == "DeviceStateChanged" {
        let track = device_track(event, DEVICE_STATE, track, trackers, tables);
        let slice = new_slice(event, track, name, tables);
        trackers.instant(slice, &ArgSet::default(), tables, stats);
        return;
    }
    let sharing = sharing(event, ASYNC_FOR_TRACK, pid, track, trackers, tables);
    let track = trackers.complete_shared(sharing, event.ts, 0, tables);
    let slice = new_slice(event, track, name, tables);
    let args = writer(event, "utid", trackers, tables);
    trackers.instant(slice, &args, tables, stats);
}

fn device_track(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    let name = tables.strings.intern(name);
    let dimensions = Dimensions::machine(event.machine);
    trackers.source.tracks.get(kind, dimensions, name, &mut trackers.deferred, tables)
}

fn count(
    event: &FtraceEvent<'_>,
    pid: i32,
    name: &str,
    value: f64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let sample = (event.ts, value);
    let key = tables.strings.intern(name);
    let device = Dimensions::machine(event.machine);
    if name == "ScreenState" {
        trackers.count(sample, SCREEN_STATE, device, key, tables);
        return;
    }
    if name.starts_with("battery_stats.") {
        let dimensions = device.text("counter_key", key);
        trackers.count(sample, BATTERY_STATS, dimensions, key, tables);
        return;
    }
    // The value is the pid of the process being killed, and 0 once that is done.
    if name == "kill_one_process" && value != 0.0 {
        killed(event, value as i64 as i32, trackers, tables, stats);
    }
    let upid = trackers.processes.process(event.tid(pid), tables);
    let dimensions = Dimensions::process(upid).text("name", key);
    let args = writer(event, "utid", trackers, tables);
    trackers.count_with(sample, COUNTER, dimensions, key, &args, tables);
}

/// A slice `lmk,<pid>,<reason>,<score>,…` says that a process is killed for want of memory.
fn low_memory_kill(
    event: &FtraceEvent<'_>,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut parts = name.split(',');
    if parts.next() != Some("lmk") {
        return;
    }
    let pid = parts.next().and_then(|pid| pid.parse::<u32>().ok());
    let score = parts.nth(1).and_then(|score| score.parse::<i32>().ok());
    let (Some(pid), Some(score)) = (pid, score) else { return };
    let pid = pid as i32;
    let upid = trackers.processes.process(event.tid(pid), tables);
    let name = tables.strings.intern(OOM_SCORE.name);
    let sample = (event.ts, f64::from(score));
    trackers.count(sample, OOM_SCORE, Dimensions::process(upid), name, tables);
    killed(event, pid, trackers, tables, stats);
}

fn killed(
    event: &FtraceEvent<'_>,
    pid: i32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let upid = trackers.processes.process(event.tid(pid), tables);
    let name: StringId = tables.strings.intern("LMK");
    let (tracks, deferred) = (&mut trackers.source.tracks, &mut trackers.deferred);
    let track = tracks.get(LOW_MEMORY_KILL, Dimensions::process(upid), name, deferred, tables);
    let slice = new_slice(event, track, "mem.lmk", tables);
    trackers.instant(slice, &ArgSet::default(), tables, stats);
}
