//! Events: slices, counters and flows.

use tpq_tables::{Stat, StringId};
use tpq_trackers::track::{
    AsyncId, AsyncPhase, Dimensions, FlowId, NewSlice, SliceEnd, TrackKind, Upid,
};

use super::Context;
use super::args::{Arg, arg_set, read_args};
use super::records::{Header, Words, ns_of_ticks};
use super::tables::Thread;

/// Types of events.
mod kind {
    pub(super) const INSTANT: u64 = 0;
    pub(super) const COUNTER: u64 = 1;
    pub(super) const BEGIN: u64 = 2;
    pub(super) const END: u64 = 3;
    pub(super) const COMPLETE: u64 = 4;
    pub(super) const ASYNC_BEGIN: u64 = 5;
    pub(super) const ASYNC_INSTANT: u64 = 6;
    pub(super) const ASYNC_END: u64 = 7;
    pub(super) const FLOW_BEGIN: u64 = 8;
    pub(super) const FLOW_STEP: u64 = 9;
    pub(super) const FLOW_END: u64 = 10;
}

const COUNTER: TrackKind = TrackKind::counter("fuchsia_counter", None);

/// An event without its arguments.
struct Event {
    thread: Thread,
    category: StringId,
    name: StringId,
}

/// Decodes an event; `None` if it is damaged or of an unknown type.
pub(super) fn decode_event(
    header: Header,
    mut words: Words<'_>,
    context: &mut Context<'_>,
) -> Option<()> {
    let start = words.u64()?;
    let (offset, definitions) = (context.offset, context.definitions);
    let thread = definitions.thread(offset, header.bits(24, 31), &mut words)?;
    let mut text = |reference| definitions.string(offset, reference, &mut words, context.tables);
    let (category, name) = (header.bits(32, 47), header.bits(48, 63));
    let (category, name) = (text(category)?, text(name)?);
    if name.is_null() {
        context.stats.increment(Stat::FuchsiaInvalidStringRef);
    }
    let count = header.bits(20, 23);
    let args = read_args(count, offset, &mut words, definitions, context.tables)?;
    let event = Event { thread, category, name };
    match header.bits(16, 19) {
        kind::COUNTER => count_args(&event, &args, context),
        of_thread @ (kind::INSTANT | kind::BEGIN | kind::END | kind::COMPLETE) => {
            let dur = match of_thread {
                kind::COMPLETE => duration(start, words.u64()?, context)?,
                _ => 0,
            };
            slice_of_thread(of_thread, dur, &event, &args, context);
        }
        of_id @ (kind::ASYNC_BEGIN | kind::ASYNC_INSTANT | kind::ASYNC_END) => {
            slice_of_id(of_id, words.u64()?, &event, &args, context);
        }
        of_flow @ (kind::FLOW_BEGIN | kind::FLOW_STEP | kind::FLOW_END) => {
            flow(of_flow, words.u64()?, &event, context);
        }
        _ => return None,
    }
    context.trackers.bounds.include(context.ts);
    Some(())
}

fn thread_track(event: &Event, context: &mut Context<'_>) -> u32 {
    let (tid, pid) = (context.tid(event.thread.tid), context.tid(event.thread.pid));
    let Context { trackers, tables, .. } = context;
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    trackers.source.tracks.execution(utid, &mut trackers.deferred, tables)
}

fn process(event: &Event, context: &mut Context<'_>) -> Upid {
    let pid = context.tid(event.thread.pid);
    context.trackers.processes.process(pid, context.tables)
}

fn new_slice(event: &Event, track: u32, context: &Context<'_>) -> NewSlice {
    let Event { category, name, .. } = *event;
    NewSlice { ts: context.ts, track, name, category, arg_set_id: None }
}

/// The duration of a slice between two times in ticks, ns; `None` if it ends before it begins.
fn duration(start: u64, end: u64, context: &Context<'_>) -> Option<i64> {
    let per_second = context.definitions.ticks_per_second(context.offset);
    let dur = ns_of_ticks(end, per_second)?.checked_sub(ns_of_ticks(start, per_second)?)?;
    (dur >= 0).then_some(dur)
}

/// A slice of a thread begins, ends or is complete.
fn slice_of_thread(kind: u64, dur: i64, event: &Event, args: &[Arg], context: &mut Context<'_>) {
    let args = arg_set(args, context.stats);
    let track = thread_track(event, context);
    let slice = new_slice(event, track, context);
    let Context { ts, trackers, tables, stats, .. } = context;
    match kind {
        kind::BEGIN => {
            trackers.begin_slice(slice, args, tables, stats);
        }
        // Names are left out, as two slices may end at one moment in any order.
        kind::END => {
            let end = SliceEnd { ts: *ts, track, ..SliceEnd::default() };
            trackers.end_slice(end, &args, tables, stats);
        }
        _ => {
            trackers.complete(slice, dur, &args, tables, stats);
            trackers.bounds.include(ts.saturating_add(dur));
        }
    }
}

/// A slice on the track of an id.
fn slice_of_id(kind: u64, id: u64, event: &Event, args: &[Arg], context: &mut Context<'_>) {
    let args = arg_set(args, context.stats);
    let id = AsyncId {
        name: event.name,
        upid: Some(process(event, context)),
        source_id: id.cast_signed(),
        process_scoped: true,
        scope: StringId::NULL,
    };
    let phase = match kind {
        kind::ASYNC_BEGIN => AsyncPhase::Begin,
        kind::ASYNC_INSTANT => AsyncPhase::Instant,
        _ => AsyncPhase::End,
    };
    let track = context.trackers.legacy_async_track(id, phase, context.tables);
    let slice = new_slice(event, track, context);
    let Event { category, name, .. } = *event;
    let Context { ts, trackers, tables, stats, .. } = context;
    match phase {
        AsyncPhase::Begin => {
            trackers.begin_slice(slice, args, tables, stats);
        }
        AsyncPhase::Instant => {
            trackers.instant(slice, &args, tables, stats);
        }
        AsyncPhase::End => {
            let end = SliceEnd { ts: *ts, track, category, name };
            trackers.end_slice(end, &args, tables, stats);
        }
    }
}

/// Each argument of a counter is one.
fn count_args(event: &Event, args: &[Arg], context: &mut Context<'_>) {
    let upid = process(event, context);
    for arg in args {
        let Some(value) = arg.number() else {
            context.stats.increment(Stat::FuchsiaNonNumericCounters);
            continue;
        };
        let Context { ts, trackers, tables, .. } = context;
        let (name, part) = (tables.strings.get(event.name), tables.strings.get(arg.name));
        let name = format!("{name}:{part}");
        let name = tables.strings.intern(&name);
        let of = Dimensions::process(upid).text("name", name);
        trackers.count((*ts, value), COUNTER, of, name, tables);
    }
}

fn flow(kind: u64, id: u64, event: &Event, context: &mut Context<'_>) {
    let track = thread_track(event, context);
    let flow = FlowId::Number(id);
    let Context { trackers, tables, stats, .. } = context;
    match kind {
        kind::FLOW_BEGIN => trackers.begin_flow_on(flow, track, tables, stats),
        kind::FLOW_STEP => trackers.step_flow_on(flow, track, tables, stats),
        _ => trackers.end_flow_on(flow, track, true, tables, stats),
    }
}
