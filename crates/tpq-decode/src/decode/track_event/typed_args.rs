//! The args of a track event: typed fields and debug annotations.

use tpq_proto::fields::{
    chrome_active_processes, chrome_histogram_sample, interned_data, log_message, task_execution,
    track_event,
};
use tpq_proto::wire::{Field, Fields, LastFields, Value};
use tpq_tables::Stat;
use tpq_tables::table::LogRow;

use super::context::DecodeContext;
use super::event::{Present, bits};
use super::framework_process;
use crate::decode::Packet;
use crate::decode::chrome::active_processes;
use tpq_trackers::args::{Annotated, ArgSet, ArgValue};
use tpq_trackers::args::{MAX_DEPTH, MessageArgs, MessageTables, Unreadable};
use tpq_trackers::track::{Tid, Utid};

/// The fields that events have for themselves, by number: name, track, time, flows. They are no
/// args, or become some in a way of their own.
const OWN: u64 = bits([
    track_event::TIMESTAMP_DELTA_US,
    track_event::THREAD_TIME_DELTA_US,
    track_event::CATEGORY_IIDS,
    track_event::DEBUG_ANNOTATIONS,
    track_event::TASK_EXECUTION,
    track_event::LEGACY_EVENT,
    track_event::THREAD_INSTRUCTION_COUNT_DELTA,
    track_event::TYPE,
    track_event::NAME_IID,
    track_event::TRACK_UUID,
    track_event::EXTRA_COUNTER_VALUES,
    track_event::TIMESTAMP_ABSOLUTE_US,
    track_event::THREAD_TIME_ABSOLUTE_US,
    track_event::THREAD_INSTRUCTION_COUNT_ABSOLUTE,
    track_event::LOG_MESSAGE,
    track_event::CATEGORIES,
    track_event::NAME,
    track_event::COUNTER_VALUE,
    track_event::EXTRA_COUNTER_TRACK_UUIDS,
    track_event::FLOW_IDS_OLD,
    track_event::TERMINATING_FLOW_IDS_OLD,
    track_event::DOUBLE_COUNTER_VALUE,
    track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS,
    track_event::EXTRA_DOUBLE_COUNTER_VALUES,
    track_event::FLOW_IDS,
    track_event::TERMINATING_FLOW_IDS,
    track_event::CORRELATION_ID,
    track_event::CORRELATION_ID_STR,
    track_event::CORRELATION_ID_STR_IID,
    track_event::CALLSTACK,
    track_event::CALLSTACK_IID,
    track_event::CALLSTACK_WEIGHT,
]);
/// Those that become args in a way of their own.
const SPECIAL: u64 = bits([
    track_event::TASK_EXECUTION,
    track_event::LOG_MESSAGE,
    track_event::CHROME_HISTOGRAM_SAMPLE,
    track_event::SOURCE_LOCATION_IID,
    track_event::CHROME_ACTIVE_PROCESSES,
    track_event::CORRELATION_ID,
    track_event::CORRELATION_ID_STR,
    track_event::CORRELATION_ID_STR_IID,
]);
/// Of these, those that have rows in other tables than that of args.
const WITH_ROWS: u64 = bits([track_event::LOG_MESSAGE, track_event::CHROME_ACTIVE_PROCESSES]);
/// Those that hold annotations, which are read when args are written.
const ANNOTATIONS: u64 = bits([tpq_trackers::args::ANNOTATIONS]);

/// The priority of messages that state none: information.
const DEFAULT_PRIORITY: u32 = 4;

/// Whether args of an event may have rows in other tables than that of args.
pub(super) fn may_have_rows(fields: Present) -> bool {
    fields.any(!OWN | WITH_ROWS)
}

/// Adds the args of an event, and of the thread it is of.
pub(super) fn add(
    fields: Present,
    thread: Option<Utid>,
    args: &mut ArgSet,
    context: &mut DecodeContext<'_, '_>,
) {
    let typed = fields.any(!OWN);
    let leaves_out = context.trackers.deferred.leaves_out_checks();
    if typed || fields.any(if leaves_out { WITH_ROWS } else { SPECIAL }) {
        read(typed, thread, args, context);
    }
    if fields.any(ANNOTATIONS) && !leaves_out {
        let Packet { span: event, generation, source, .. } = *context.packet;
        args.add_annotations(Annotated { event, generation, source });
    }
}

/// Adds what fields other than annotations say; `typed` is whether there are any that are not
/// the event's own.
fn read(typed: bool, thread: Option<Utid>, args: &mut ArgSet, context: &mut DecodeContext<'_, '_>) {
    let DecodeContext { packet, trackers, tables, stats } = context;
    let (messages, mappings) = (&mut trackers.file.messages, &mut trackers.source.stacks.mappings);
    let mut message = MessageArgs {
        interned: packet.interned,
        generation: packet.generation,
        paths: messages,
        strings: &mut tables.strings,
        stats,
        args,
        tables: Some(MessageTables {
            mappings,
            mapping_rows: &mut tables.stack_profile_mapping,
            active_processes: Vec::new(),
        }),
    };
    let mut log = None;
    let mut reports = Vec::new();
    let event = packet.data;
    for field in Fields::new(event) {
        let added = match field.number {
            track_event::TASK_EXECUTION => task(&mut message, &field),
            track_event::LOG_MESSAGE => {
                log_message(&mut message, &field, thread).map(|row| log = Some(row))
            }
            track_event::SOURCE_LOCATION_IID => source_location(&mut message, &field),
            track_event::CHROME_HISTOGRAM_SAMPLE => histogram_name(&mut message, &field),
            track_event::CHROME_ACTIVE_PROCESSES => {
                active_processes(&mut message, &field);
                Ok(())
            }
            track_event::CORRELATION_ID
            | track_event::CORRELATION_ID_STR
            | track_event::CORRELATION_ID_STR_IID => correlation_id(&mut message, &field),
            number if framework_process::is_report(number) => {
                reports.push(field);
                Ok(())
            }
            _ => Ok(()),
        };
        if added.is_err() {
            message.stats.increment(Stat::TrackEventParserErrors);
        }
    }
    if typed {
        let at = message.paths.track_event();
        if message.message(event, at, MAX_DEPTH).is_err() {
            message.stats.increment(Stat::TrackEventParserErrors);
        }
    }
    let active = message.tables.map(|tables| tables.active_processes).unwrap_or_default();
    for pid in active {
        let pid = Tid { machine: packet.machine, id: i64::from(pid) };
        let upid = trackers.processes.process(pid, tables);
        active_processes::note_named(packet.ts(), upid, trackers);
    }
    if let Some(row) = log {
        let log_source = tables.strings.intern("android_logcat");
        tables.logs.push(LogRow { ts: packet.ts(), log_source, ..row });
    }
    for report in reports {
        framework_process::note(&report, context);
    }
}

/// Where the task was posted from that an event runs.
fn task(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let iid = LastFields::<2>::new(field.as_bytes()).uint(task_execution::POSTED_FROM_IID);
    if iid == 0 {
        return Err(Unreadable);
    }
    let location = message.source_location(iid).ok_or(Unreadable)?;
    let keys = message.add_names("task.posted_from", &location);
    message.args.add(keys.line, ArgValue::Uint(u64::from(location.line.unwrap_or_default())));
    Ok(())
}

fn source_location(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let iid = field.as_u64();
    if iid == 0 {
        return Err(Unreadable);
    }
    let location = message.source_location(iid).ok_or(Unreadable)?;
    let keys = message.add_names("source", &location);
    message.args.add(keys.line, ArgValue::Uint(u64::from(location.line.unwrap_or_default())));
    Ok(())
}

/// A message that was logged is also in the log.
fn log_message(
    message: &mut MessageArgs<'_>,
    field: &Field<'_>,
    thread: Option<Utid>,
) -> Result<LogRow, Unreadable> {
    let utid = thread.ok_or(Unreadable)?;
    let log = LastFields::<4>::new(field.as_bytes());
    let msg = message.text(interned_data::LOG_MESSAGE_BODY, log.uint(log_message::BODY_IID))?;
    message.add("track_event.log_message", ArgValue::String(msg));
    let mut row = LogRow { utid: Some(utid), prio: DEFAULT_PRIORITY, msg, ..LogRow::default() };
    if let Some(iid) = log.get(log_message::SOURCE_LOCATION_IID) {
        let location = message.source_location(iid.as_u64()).ok_or(Unreadable)?;
        let line = location.line.unwrap_or_default();
        let file = message.source_file(iid.as_u64()).ok_or(Unreadable)?;
        let file = String::from_utf8_lossy(file);
        row.tag = message.strings.intern(&format!("{file}:{line}"));
        let file = ArgValue::String(message.strings.intern(&file));
        message.add("track_event.log_message.file_name", file);
        let function = ArgValue::String(location.function);
        message.add("track_event.log_message.function_name", function);
        message.add("track_event.log_message.line_number", ArgValue::Int(i64::from(line)));
    }
    if let Some(priority) = log.get(log_message::PRIO) {
        let priority = priority.as_u32();
        // A value without a name counts as absent.
        row.prio = if priority <= 7 { priority } else { 0 };
        message.add("track_event.priority", ArgValue::Int(i64::from(row.prio)));
    }
    Ok(row)
}

/// The name of a histogram that was interned.
fn histogram_name(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let sample = LastFields::<5>::new(field.as_bytes());
    let Some(iid) = sample.get(chrome_histogram_sample::NAME_IID) else { return Ok(()) };
    if sample.has(chrome_histogram_sample::NAME) {
        return Err(Unreadable);
    }
    let name = ArgValue::String(message.text(interned_data::HISTOGRAM_NAMES, iid.as_u64())?);
    message.add("chrome_histogram_sample.name", name);
    Ok(())
}

fn active_processes(message: &mut MessageArgs<'_>, field: &Field<'_>) {
    for field in
        Fields::new(field.as_bytes()).filter(|field| field.number == chrome_active_processes::PID)
    {
        let pids = tpq_proto::wire::repeated(&field).map(|pid| pid as i32);
        if let Some(tables) = &mut message.tables {
            tables.active_processes.extend(pids);
        }
    }
}

/// The shared id of events that belong together.
fn correlation_id(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let id = match (field.number, field.value) {
        (track_event::CORRELATION_ID_STR, Value::Bytes(id)) => message.strings.intern_bytes(id),
        (track_event::CORRELATION_ID_STR_IID, _) => {
            message.text(interned_data::CORRELATION_ID_STR, field.as_u64())?
        }
        _ => message.strings.intern(&format!("tp:#{}", field.as_u64())),
    };
    message.add("correlation_id", ArgValue::String(id));
    Ok(())
}
