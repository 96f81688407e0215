//! The args of a track event: what typed fields and debug annotations tell.

use tpq_proto::wire::{Field, Fields, LastFields, Value};
use tpq_tables::Stat;
use tpq_tables::table::LogRow;

use super::context::DecodeContext;
use super::event::{Present, bits};
use crate::decode::Packet;
use tpq_trackers::args::{Annotated, ArgSet, ArgValue};
use tpq_trackers::args::{Beyond, MAX_DEPTH, MessageArgs, Unreadable};
use tpq_trackers::interned::field;
use tpq_trackers::track::{Tid, Utid};

/// The fields that events have for themselves, by number: name, track, time, flows. They are no
/// args, or become some in a way of their own.
const OWN: u64 = bits([
    1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23, 30, 31, 36, 42, 44, 45, 46, 47, 48,
    52, 53, 54, 55, 56, 57,
]);
/// Those that become args in a way of their own.
const SPECIAL: u64 = bits([5, 21, 28, 34, 49, 52, 53, 54]);
/// Those that hold annotations, which are read when args are written.
const ANNOTATIONS: u64 = bits([tpq_trackers::args::ANNOTATIONS]);

/// The priority of messages that state none: information.
const DEFAULT_PRIORITY: u32 = 4;

/// Adds the args of an event, and of the thread it is of.
pub(super) fn add(
    fields: Present,
    thread: Option<Utid>,
    args: &mut ArgSet,
    context: &mut DecodeContext<'_, '_>,
) {
    let typed = fields.any(!OWN);
    if typed || fields.any(SPECIAL) {
        read(typed, thread, args, context);
    }
    if fields.any(ANNOTATIONS) {
        let Packet { span: event, generation, source, .. } = *context.packet;
        args.add_annotations(Annotated { event, generation, source });
    }
}

/// Adds what fields other than annotations say; `typed` tells whether there are any that are not
/// the event's own.
fn read(typed: bool, thread: Option<Utid>, args: &mut ArgSet, context: &mut DecodeContext<'_, '_>) {
    let DecodeContext { packet, trackers, tables, stats } = context;
    let (messages, processes, mappings) =
        (&mut trackers.file.messages, &mut trackers.processes, &mut trackers.source.mappings);
    let mut message = MessageArgs {
        interned: packet.interned,
        generation: packet.generation,
        paths: messages,
        strings: &mut tables.strings,
        stats,
        args,
        beyond: Some(Beyond {
            mappings,
            mapping_rows: &mut tables.stack_profile_mapping,
            active_processes: Vec::new(),
        }),
    };
    let mut log = None;
    let event = packet.data;
    for field in Fields::new(event) {
        let added = match field.number {
            5 => task(&mut message, &field),
            21 => log_message(&mut message, &field, thread).map(|row| log = Some(row)),
            34 => source_location(&mut message, &field),
            28 => histogram_name(&mut message, &field),
            49 => {
                active_processes(&mut message, &field);
                Ok(())
            }
            52..=54 => correlation_id(&mut message, &field),
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
    let active = message.beyond.map(|beyond| beyond.active_processes).unwrap_or_default();
    for pid in active {
        let pid = Tid { machine: packet.machine, id: i64::from(pid) };
        processes.process(pid, tables);
    }
    if let Some(row) = log {
        let log_source = tables.strings.intern("android_logcat");
        tables.logs.push(LogRow { ts: packet.ts, log_source, ..row });
    }
}

/// Where the task was posted from that an event runs.
fn task(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let iid = LastFields::<2>::new(field.as_bytes()).uint(1);
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
    let msg = message.text(field::LOG_MESSAGE_BODY, log.uint(2))?;
    message.add("track_event.log_message", ArgValue::String(msg));
    let mut row = LogRow { utid: Some(utid), prio: DEFAULT_PRIORITY, msg, ..LogRow::default() };
    if let Some(iid) = log.get(1) {
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
    if let Some(priority) = log.get(3) {
        let priority = priority.as_u32();
        // What there is no name for is as if it were not stated.
        row.prio = if priority <= 7 { priority } else { 0 };
        message.add("track_event.priority", ArgValue::Int(i64::from(row.prio)));
    }
    Ok(row)
}

/// The name of a histogram that was interned.
fn histogram_name(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let sample = LastFields::<5>::new(field.as_bytes());
    let Some(iid) = sample.get(4) else { return Ok(()) };
    if sample.has(2) {
        return Err(Unreadable);
    }
    let name = ArgValue::String(message.text(field::HISTOGRAM_NAMES, iid.as_u64())?);
    message.add("chrome_histogram_sample.name", name);
    Ok(())
}

fn active_processes(message: &mut MessageArgs<'_>, field: &Field<'_>) {
    for field in Fields::new(field.as_bytes()).filter(|field| field.number == 1) {
        let pids = tpq_proto::wire::repeated(&field).map(|pid| pid as i32);
        if let Some(beyond) = &mut message.beyond {
            beyond.active_processes.extend(pids);
        }
    }
}

/// What events that belong together have in common.
fn correlation_id(message: &mut MessageArgs<'_>, field: &Field<'_>) -> Result<(), Unreadable> {
    let id = match (field.number, field.value) {
        (53, Value::Bytes(id)) => message.strings.intern_bytes(id),
        (54, _) => message.text(field::CORRELATION_ID_STR, field.as_u64())?,
        _ => message.strings.intern(&format!("tp:#{}", field.as_u64())),
    };
    message.add("correlation_id", ArgValue::String(id));
    Ok(())
}
