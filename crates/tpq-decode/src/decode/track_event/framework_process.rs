//! Starts and ends of processes, as the framework of Android reports them.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{
    android_binder_died_event, android_process_died_event, android_process_start_event,
    frameworks_base_track_event,
};
use tpq_proto::wire::{Field, LastFields};
use tpq_tables::StringId;
use tpq_tables::table::FrameworkProcessRow;
use tpq_trackers::track::{Tid, Upid};

use super::context::DecodeContext;

/// Ids of users are that far apart: what is left are the ids of apps.
const USERS_APART: u32 = 100_000;

/// The rows of processes, by the numbers of their starts.
#[derive(Default)]
struct Starts(FxHashMap<i64, u32>);

/// Whether a field of a track event reports a start or an end.
pub(super) fn is_report(field: u32) -> bool {
    matches!(
        field,
        frameworks_base_track_event::PROCESS_START_EVENT
            | frameworks_base_track_event::PROCESS_DIED_EVENT
            | frameworks_base_track_event::BINDER_DIED_EVENT
    )
}

/// Adds the row of a process that was started, or the end of one.
pub(super) fn note(report: &Field<'_>, context: &mut DecodeContext<'_, '_>) {
    let message = report.as_bytes();
    match report.number {
        frameworks_base_track_event::PROCESS_START_EVENT => start(message, context),
        frameworks_base_track_event::PROCESS_DIED_EVENT => {
            let event = LastFields::<10>::new(message);
            let pid = event.get(android_process_died_event::PID);
            end(pid, event.get(android_process_died_event::START_SEQ_ID), context);
        }
        _ => {
            let event = LastFields::<5>::new(message);
            let pid = event.get(android_binder_died_event::PID);
            end(pid, event.get(android_binder_died_event::START_SEQ_ID), context);
        }
    }
}

fn start(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let event = LastFields::<14>::new(message);
    let int = |number| event.get(number).map(|field| field.as_i64());
    let short = |number| event.get(number).map(|field| field.as_i32());
    let (Some(pid), Some(start)) =
        (short(android_process_start_event::PID), int(android_process_start_event::START_SEQ_ID))
    else {
        return;
    };
    let pid = Tid { machine: context.packet.machine, id: i64::from(pid) };
    let upid = context.trackers.processes.process(pid, context.tables);
    describe(upid, &event, context);
    let text = |number, context: &mut DecodeContext<'_, '_>| {
        crate::decode::text(&event, number, context.tables)
    };
    let row = FrameworkProcessRow {
        upid,
        start_seq_id: Some(start),
        package_uid: short(android_process_start_event::PACKAGE_UID),
        caller_uid: short(android_process_start_event::CALLER_UID),
        defining_uid: short(android_process_start_event::DEFINING_UID),
        fw_start_ts: Some(context.packet.ts()),
        fw_end_ts: None,
        trigger_type: value_name(
            "com.android.internal.TriggerType",
            short(android_process_start_event::TRIGGER_TYPE),
            context,
        ),
        hosting_type: value_name(
            "com.android.internal.HostingTypeId",
            short(android_process_start_event::HOSTING_TYPE),
            context,
        ),
        hosting_name: text(android_process_start_event::HOSTING_NAME, context),
        bind_application_delay_ms: int(android_process_start_event::BIND_APPLICATION_DELAY_MS),
        process_start_delay_ms: int(android_process_start_event::PROCESS_START_DELAY_MS),
    };
    let Starts(starts) = context.trackers.source.states.get();
    let rows = &mut context.tables.android_track_event_process;
    // The framework reports a start once; of two reports the first counts.
    starts.entry(start).or_insert_with(|| rows.push(row));
}

/// Gives a process the name and the user id of its start.
fn describe(upid: Upid, event: &LastFields<'_, 14>, context: &mut DecodeContext<'_, '_>) {
    let tables = &mut *context.tables;
    let name = crate::decode::text(event, android_process_start_event::PROCESS_NAME, tables);
    context.trackers.processes.name_unnamed_process(upid, name, tables);
    if let Some(uid) = event.get(android_process_start_event::UID) {
        let uid = uid.as_u32();
        tables.process.uid.set(upid, Some(uid));
        tables.process.android_user_id.set(upid, Some(uid / USERS_APART));
        tables.process.android_appid.set(upid, Some(uid % USERS_APART));
    }
}

/// Ends a process with a known start, unless it has ended.
fn end(pid: Option<Field<'_>>, start: Option<Field<'_>>, context: &mut DecodeContext<'_, '_>) {
    let (Some(pid), Some(start)) = (pid, start) else { return };
    let Starts(starts) = context.trackers.source.states.get();
    let Some(&row) = starts.get(&start.as_i64()) else { return };
    let ts = context.packet.ts();
    let ends = &mut context.tables.android_track_event_process.fw_end_ts;
    if ends.get(row).is_none() {
        ends.set(row, Some(ts));
        let pid = Tid { machine: context.packet.machine, id: i64::from(pid.as_i32()) };
        context.trackers.processes.end_thread(ts, pid, context.tables);
    }
}

/// The name of a value of an enum; its number where it has no name.
fn value_name(
    enumeration: &str,
    value: Option<i32>,
    context: &mut DecodeContext<'_, '_>,
) -> StringId {
    let Some(value) = value else { return StringId::NULL };
    match context.trackers.file.messages.enum_value_name(enumeration, value) {
        Some(name) => context.tables.strings.intern(name),
        None => context.intern(&value.to_string()),
    }
}
