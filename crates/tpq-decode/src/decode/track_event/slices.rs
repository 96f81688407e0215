//! Slices and instants, on tracks of threads and on others.

use super::callstacks;
use super::context::DecodeContext;
use super::counters::ThreadCounters;
use super::event::TrackEvent;
use super::event_args::{add_args, args_of_end, write_rows};
use super::flows;
use super::owner::EventOwner;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{NewSlice, Usage};

/// A slice of a thread begins.
pub(super) fn begin(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    owner.utid?;
    let Some(id) = begin_on_track(event, owner, context)? else { return Some(()) };
    // The row has neither yet, and most events have one of them at most.
    if thread.time.is_some() {
        context.tables.slice.thread_ts.set(id, thread.time);
    }
    if thread.instructions.is_some() {
        context.tables.slice.thread_instruction_count.set(id, thread.instructions);
    }
    Some(())
}

/// A slice of something else begins.
pub(super) fn begin_async(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    begin_on_track(event, owner, context).map(|_| ())
}

/// Begins a slice and gives its row, unless it was dropped.
fn begin_on_track(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<Option<u32>> {
    let track = owner.track(event, Usage::Begin, context)?;
    context.trackers.bounds.include(context.packet.ts());
    let slice = new_slice(event, track, context);
    let Some(id) = context.trackers.source.slices.begin(slice, context.tables, context.stats)
    else {
        return Some(None);
    };
    if context.trackers.deferred.leaves_out_checks() {
        write_rows(event, owner, context);
    } else {
        let args = args_of(event, owner, context);
        context.trackers.open_args.keep(id, args);
    }
    callstacks::begin(event, owner, (id, track), context);
    flows::pass(event, id, context);
    Some(Some(id))
}

/// A slice of a thread ends.
pub(super) fn end(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    owner.utid?;
    let Some(id) = end_on_track(event, owner, context)? else { return Some(()) };
    let slice = &mut context.tables.slice;
    // The row of a slice that was open has neither duration yet.
    if let Some(now) = thread.time {
        let time = slice.thread_ts.get(id).map(|then| now.saturating_sub(then));
        // A clock that did not advance carries no information.
        slice.thread_dur.set(id, time.filter(|&time| time != 0));
    }
    if let Some(now) = thread.instructions {
        let then = slice.thread_instruction_count.get(id);
        slice.thread_instruction_delta.set(id, then.map(|then| now.saturating_sub(then)));
    }
    Some(())
}

/// A slice of something else ends.
pub(super) fn end_async(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    end_on_track(event, owner, context).map(|_| ())
}

/// Ends a slice and gives its row, if one was open.
fn end_on_track(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<Option<u32>> {
    let track = owner.track(event, Usage::End, context)?;
    let ts = context.packet.ts();
    context.trackers.bounds.include(ts);
    let (category, name) = (event.category, event.name);
    let ended = context.trackers.source.slices.end(
        ts,
        track,
        category,
        name,
        context.tables,
        context.stats,
    );
    let Some(id) = ended else { return Some(None) };
    if context.trackers.deferred.leaves_out_checks() {
        write_rows(event, owner, context);
    } else {
        // Args of an end join those of its beginning.
        let mut all = context.trackers.open_args.take(track, id);
        let added = args_of_end(event, owner, &all, context);
        all.append(&added);
        let set = context.trackers.deferred.intern(&all);
        context.trackers.open_args.reuse(all);
        context.tables.slice.arg_set_id.set(id, set);
    }
    callstacks::end(event, owner, (id, track), context);
    flows::pass(event, id, context);
    Some(Some(id))
}

/// A slice of a thread that says how long it took.
pub(super) fn complete(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    owner.utid?;
    let legacy = event.legacy.as_ref()?;
    let dur = legacy.duration.unwrap_or_default();
    if dur < 0 {
        return None;
    }
    let track = owner.own_track(event, context)?;
    let taken = ThreadCounters {
        time: Some(legacy.thread_duration.unwrap_or_default()),
        instructions: Some(legacy.instruction_delta.unwrap_or_default()),
    };
    if let Some(id) = write_complete(event, owner, (track, dur), Some((thread, taken)), context) {
        flows::pass(event, id, context);
    }
    Some(())
}

/// Something that took no time.
pub(super) fn instant(
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    let track = owner.track(event, Usage::Instant, context)?;
    let nothing = ThreadCounters { time: Some(0), instructions: Some(0) };
    let is_step = event.phase().is_some_and(|phase| phase.is_step());
    let counts = owner.utid.is_some() && !event.phase().is_some_and(|phase| phase.is_async());
    let id = write_complete(event, owner, (track, 0), counts.then_some((thread, nothing)), context);
    if let Some(id) = id.filter(|_| !is_step) {
        flows::pass(event, id, context);
    }
    Some(())
}

/// Writes a slice of a known duration with the thread's counts when it began and what it took of
/// them, where they are known.
fn write_complete(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    (track, dur): (u32, i64),
    thread: Option<(ThreadCounters, ThreadCounters)>,
    context: &mut DecodeContext<'_, '_>,
) -> Option<u32> {
    context.trackers.bounds.include(context.packet.ts());
    let slice = new_slice(event, track, context);
    let id = context.trackers.source.slices.complete(slice, dur, context.tables, context.stats)?;
    if context.trackers.deferred.leaves_out_checks() {
        write_rows(event, owner, context);
    } else {
        let args = args_of(event, owner, context);
        let set = context.trackers.deferred.intern(&args);
        context.trackers.open_args.reuse(args);
        context.tables.slice.arg_set_id.set(id, set);
    }
    callstacks::complete(event, owner, (id, track), context);
    let slice = &mut context.tables.slice;
    if let Some((began, took)) = thread {
        slice.thread_ts.set(id, began.time);
        slice.thread_dur.set(id, began.time.and(took.time));
        slice.thread_instruction_count.set(id, began.instructions);
        slice.thread_instruction_delta.set(id, began.instructions.and(took.instructions));
    }
    Some(id)
}

fn new_slice(event: &TrackEvent<'_>, track: u32, context: &DecodeContext<'_, '_>) -> NewSlice {
    let (name, category) = (event.name, event.category);
    NewSlice { ts: context.packet.ts(), track, name, category, arg_set_id: None }
}

/// All args of an event.
fn args_of(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> ArgSet {
    let mut args = context.trackers.open_args.empty_set();
    add_args(event, owner, &mut args, context);
    add_phase(event, &mut args, context);
    args
}

/// Phases that slices cannot represent are kept.
fn add_phase(event: &TrackEvent<'_>, args: &mut ArgSet, context: &mut DecodeContext<'_, '_>) {
    if let Some(phase) = event.phase().filter(|phase| phase.is_raw()) {
        let value = ArgValue::String(context.intern(&phase.text()));
        args.add(context.intern("legacy_event.phase"), value);
    }
}
