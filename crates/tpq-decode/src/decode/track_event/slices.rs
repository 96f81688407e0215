//! Slices and instants, on tracks of threads and on others.

use super::counters::ThreadCounters;
use super::event::{On, TrackEvent, args};
use super::flows;
use super::whose::Whose;
use crate::deferred::ArgValue;
use crate::track::{NewSlice, Usage};

/// A slice of a thread begins.
pub(super) fn begin(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    thread: ThreadCounters,
    on: &mut On<'_, '_>,
) -> Option<()> {
    whose.utid?;
    let Some(id) = begin_on_track(event, whose, on)? else { return Some(()) };
    on.tables.slice.thread_ts.set(id, thread.time);
    on.tables.slice.thread_instruction_count.set(id, thread.instructions);
    Some(())
}

/// A slice of something else begins.
pub(super) fn begin_async(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    on: &mut On<'_, '_>,
) -> Option<()> {
    begin_on_track(event, whose, on).map(|_| ())
}

/// Begins a slice and gives its row, unless it was dropped.
fn begin_on_track(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    on: &mut On<'_, '_>,
) -> Option<Option<u32>> {
    let track = whose.track(event, Usage::Begin, on)?;
    on.trackers.bounds.include(on.packet.ts);
    let slice = new_slice(event, track, on);
    let Some(id) = on.trackers.slices.begin(slice, on.tables, on.stats) else {
        return Some(None);
    };
    let mut args = args(event, whose, on);
    add_phase(event, &mut args, on);
    on.trackers.open_args.keep(id, args);
    flows::pass(event, id, on);
    Some(Some(id))
}

/// A slice of a thread ends.
pub(super) fn end(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    thread: ThreadCounters,
    on: &mut On<'_, '_>,
) -> Option<()> {
    whose.utid?;
    let Some(id) = end_on_track(event, whose, on)? else { return Some(()) };
    let since = |now: Option<i64>, then: Option<i64>| Some(now?.saturating_sub(then?));
    let slice = &mut on.tables.slice;
    // A clock that stood still tells nothing.
    let time = since(thread.time, slice.thread_ts.get(id)).filter(|&time| time != 0);
    let instructions = since(thread.instructions, slice.thread_instruction_count.get(id));
    slice.thread_dur.set(id, time);
    slice.thread_instruction_delta.set(id, instructions);
    Some(())
}

/// A slice of something else ends.
pub(super) fn end_async(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    on: &mut On<'_, '_>,
) -> Option<()> {
    end_on_track(event, whose, on).map(|_| ())
}

/// Ends a slice and gives its row, if one was open.
fn end_on_track(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    on: &mut On<'_, '_>,
) -> Option<Option<u32>> {
    let track = whose.track(event, Usage::End, on)?;
    let ts = on.packet.ts;
    on.trackers.bounds.include(ts);
    let (category, name) = (event.category, event.name);
    let ended = on.trackers.slices.end(ts, track, category, name, on.tables, on.stats);
    let Some(id) = ended else { return Some(None) };
    // What an end adds joins what its beginning carried.
    let added = args(event, whose, on);
    let mut all = on.trackers.open_args.take(track, id);
    all.append(&added);
    let set = on.trackers.deferred.intern(&all);
    on.tables.slice.arg_set_id.set(id, set);
    flows::pass(event, id, on);
    Some(Some(id))
}

/// A slice of a thread that says how long it took.
pub(super) fn complete(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    thread: ThreadCounters,
    on: &mut On<'_, '_>,
) -> Option<()> {
    whose.utid?;
    let legacy = event.legacy.as_ref()?;
    let dur = legacy.duration.unwrap_or_default();
    if dur < 0 {
        return None;
    }
    let track = whose.own_track(event, on)?;
    let taken = ThreadCounters {
        time: Some(legacy.thread_duration.unwrap_or_default()),
        instructions: Some(legacy.instruction_delta.unwrap_or_default()),
    };
    if let Some(id) = write_complete(event, whose, (track, dur), Some((thread, taken)), on) {
        flows::pass(event, id, on);
    }
    Some(())
}

/// Something that took no time.
pub(super) fn instant(
    event: &TrackEvent<'_>,
    whose: &mut Whose,
    thread: ThreadCounters,
    on: &mut On<'_, '_>,
) -> Option<()> {
    let track = whose.track(event, Usage::Instant, on)?;
    let nothing = ThreadCounters { time: Some(0), instructions: Some(0) };
    let is_step = event.phase().is_some_and(|phase| phase.is_step());
    let counts = whose.utid.is_some() && !event.phase().is_some_and(|phase| phase.is_async());
    let id = write_complete(event, whose, (track, 0), counts.then_some((thread, nothing)), on);
    if let Some(id) = id.filter(|_| !is_step) {
        flows::pass(event, id, on);
    }
    Some(())
}

/// Writes a slice of a known duration with the thread's counts when it began and what it took of
/// them, where they are known.
fn write_complete(
    event: &TrackEvent<'_>,
    whose: &Whose,
    (track, dur): (u32, i64),
    thread: Option<(ThreadCounters, ThreadCounters)>,
    on: &mut On<'_, '_>,
) -> Option<u32> {
    on.trackers.bounds.include(on.packet.ts);
    let slice = new_slice(event, track, on);
    let id = on.trackers.slices.complete(slice, dur, on.tables, on.stats)?;
    let mut args = args(event, whose, on);
    add_phase(event, &mut args, on);
    let set = on.trackers.deferred.intern(&args);
    let slice = &mut on.tables.slice;
    slice.arg_set_id.set(id, set);
    if let Some((began, took)) = thread {
        slice.thread_ts.set(id, began.time);
        slice.thread_dur.set(id, began.time.and(took.time));
        slice.thread_instruction_count.set(id, began.instructions);
        slice.thread_instruction_delta.set(id, began.instructions.and(took.instructions));
    }
    Some(id)
}

fn new_slice(event: &TrackEvent<'_>, track: u32, on: &On<'_, '_>) -> NewSlice {
    let (name, category) = (event.name, event.category);
    NewSlice { ts: on.packet.ts, track, name, category, arg_set_id: None }
}

/// Phases that slices alone do not tell are kept.
fn add_phase(event: &TrackEvent<'_>, args: &mut crate::deferred::ArgSet, on: &mut On<'_, '_>) {
    if let Some(phase) = event.phase().filter(|phase| phase.is_kept()) {
        let value = ArgValue::String(on.intern(&phase.text()));
        args.add(on.intern("legacy_event.phase"), value);
    }
}
