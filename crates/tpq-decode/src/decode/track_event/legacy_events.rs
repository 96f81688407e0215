//! Events of the legacy form that are no slices: metadata, and phases without a table of their own.

use tpq_proto::fields::{debug_annotation, track_event};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::ChromeRawRow;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::NamePriority;

use super::context::DecodeContext;
use super::counters::ThreadCounters;
use super::event::TrackEvent;
use super::event_args::add_args;
use super::legacy::*;
use super::owner::EventOwner;

/// An event that says something of its thread or process.
pub(super) fn metadata(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    if event.name.is_null() {
        return None;
    }
    let (of_thread, of_process) = match context.tables.strings.get(event.name) {
        "thread_name" => (Some(owner.utid?), None),
        "process_name" => (None, Some(owner.upid?)),
        _ => return raw(event, owner, thread, context),
    };
    let value =
        Fields::new(event.data).find(|field| field.number == track_event::DEBUG_ANNOTATIONS)?;
    let name = LastFields::<7>::new(value.as_bytes()).bytes(debug_annotation::STRING_VALUE);
    if name.is_empty() {
        return Some(());
    }
    let name = context.tables.strings.intern_bytes(name);
    let processes = &mut context.trackers.processes;
    if let Some(utid) = of_thread {
        processes.name_thread(utid, name, NamePriority::ThreadType, context.tables);
    }
    if let Some(upid) = of_process {
        processes.name_unnamed_process(upid, name, context.tables);
    }
    Some(())
}

/// Writes an event of an unknown phase to `__intrinsic_chrome_raw`.
pub(super) fn raw(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    let utid = owner.utid?;
    let mut set = fields(event, thread, context);
    let mut args = ArgSet::default();
    add_args(event, owner, &mut args, context);
    set.append(&args);
    let arg_set_id = context.trackers.deferred.intern(&set);
    let name = context.intern("track_event.legacy_event");
    context.tables.chrome_raw.push(ChromeRawRow {
        ts: context.packet.ts(),
        name,
        utid,
        arg_set_id,
    });
    Some(())
}

/// Fields of the older form of an event, as args.
fn fields(
    event: &TrackEvent<'_>,
    thread: ThreadCounters,
    context: &mut DecodeContext<'_, '_>,
) -> ArgSet {
    let legacy = event.legacy.unwrap_or_default();
    let phase = legacy.phase.map(Phase::text).unwrap_or_else(|| "\0".to_owned());
    let phase = context.intern(&phase);
    let scope = legacy.id_scope.filter(|scope| !scope.is_empty());
    let scope = scope.map(|scope| context.tables.strings.intern_bytes(scope));
    let [time, instructions] = [thread.time, thread.instructions];
    let id = match (legacy.unscoped_id, legacy.global_id, legacy.local_id) {
        (Some(id), ..) => Some(("legacy_event.unscoped_id", id)),
        (None, Some(id), _) => Some(("legacy_event.global_id", id)),
        (None, None, Some(id)) => Some(("legacy_event.local_id", id)),
        _ => None,
    };
    let int = |value: Option<i64>| value.map(ArgValue::Int);
    let values = [
        ("legacy_event.category", Some(ArgValue::String(event.category))),
        ("legacy_event.name", Some(ArgValue::String(event.name))),
        ("legacy_event.phase", Some(ArgValue::String(phase))),
        ("legacy_event.duration_ns", int(legacy.duration)),
        ("legacy_event.thread_timestamp_ns", int(time)),
        ("legacy_event.thread_duration_ns", int(time.and(legacy.thread_duration))),
        ("legacy_event.thread_instruction_count", int(instructions)),
        ("legacy_event.thread_instruction_delta", int(instructions.and(legacy.instruction_delta))),
        ("legacy_event.use_async_tts", legacy.use_async_tts.then_some(ArgValue::Bool(true))),
        (id.map_or("", |(key, _)| key), id.map(|(_, id)| ArgValue::Uint(id))),
        ("legacy_event.id_scope", id.and(scope).map(ArgValue::String)),
    ];
    let given = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    ArgSet::of(given, &mut context.tables.strings)
}
