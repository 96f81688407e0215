//! What some events say of themselves in fields that refer to interned messages: places in the
//! source, log messages, the tasks they run.

use tpq_proto::wire::{Field, Fields, LastFields};
use tpq_tables::StringId;
use tpq_tables::table::LogRow;

use super::event::{On, TrackEvent};
use super::whose::Whose;
use crate::interned::field;
use crate::track::{ArgSet, ArgValue, Tid};

/// Android's priority of messages that give none: information.
const PRIO_INFO: i64 = 4;
/// Android's highest priority of messages of programs: fatal.
const PRIO_FATAL: i64 = 7;

/// Adds what an event says; what makes no sense is counted and left out.
pub(super) fn add(event: &TrackEvent<'_>, whose: &Whose, args: &mut ArgSet, on: &mut On<'_, '_>) {
    for number in [34, 5, 21, 28, 49, 52, 53, 54] {
        let last = Fields::new(event.data).filter(|field| field.number == number).last();
        if let Some(field) = last
            && add_one(&field, whose, args, on).is_none()
        {
            on.count_error();
        }
    }
}

fn add_one(field: &Field<'_>, whose: &Whose, args: &mut ArgSet, on: &mut On<'_, '_>) -> Option<()> {
    match field.number {
        34 => add_location("source", field.as_u64(), args, on),
        5 => {
            let iid = LastFields::<2>::new(field.as_bytes()).uint(1);
            add_location("task.posted_from", iid, args, on)
        }
        21 => add_log(field.as_bytes(), whose, args, on),
        28 => add_histogram_name(field.as_bytes(), args, on),
        49 => {
            note_processes(field.as_bytes(), on);
            Some(())
        }
        52 => {
            let id = on.intern(&format!("tp:#{}", field.as_u64()));
            add_correlation(id, args, on)
        }
        53 => {
            let id = on.tables.strings.intern_bytes(field.as_bytes());
            add_correlation(id, args, on)
        }
        _ => {
            let id = interned(field::CORRELATION_IDS, field.as_u64(), on)?;
            let id = text(&id, 2, on);
            add_correlation(id, args, on)
        }
    }
}

fn add_correlation(id: StringId, args: &mut ArgSet, on: &mut On<'_, '_>) -> Option<()> {
    args.put(on.intern("correlation_id"), ArgValue::String(id));
    Some(())
}

/// Adds a place in the source, with slashes in paths whatever the system.
fn add_location(prefix: &str, iid: u64, args: &mut ArgSet, on: &mut On<'_, '_>) -> Option<()> {
    if iid == 0 {
        return None;
    }
    let location = interned(field::SOURCE_LOCATIONS, iid, on)?;
    let file = String::from_utf8_lossy(location.bytes(2)).replace('\\', "/");
    let file = on.intern(&file);
    let function = text(&location, 3, on);
    let values = [
        ("file_name", ArgValue::String(file)),
        ("function_name", ArgValue::String(function)),
        ("line_number", ArgValue::Uint(u64::from(location.uint(4) as u32))),
    ];
    for (key, value) in values {
        args.add(on.intern(&format!("{prefix}.{key}")), value);
    }
    Some(())
}

/// A message that the program logged: a row of the log as well.
fn add_log(message: &[u8], whose: &Whose, args: &mut ArgSet, on: &mut On<'_, '_>) -> Option<()> {
    let utid = whose.utid?;
    let message = LastFields::<4>::new(message);
    let body = interned(field::LOG_MESSAGE_BODIES, message.uint(2), on)?;
    let msg = text(&body, 2, on);
    args.add(on.intern("track_event.log_message"), ArgValue::String(msg));
    let tag = match message.get(1) {
        Some(iid) => add_log_location(iid.as_u64(), args, on)?,
        None => StringId::NULL,
    };
    let mut prio = PRIO_INFO;
    if let Some(given) = message.get(3) {
        prio = Some(given.as_i64()).filter(|prio| (0..=PRIO_FATAL).contains(prio)).unwrap_or(0);
        args.add(on.intern("track_event.priority"), ArgValue::Int(prio));
    }
    let log_source = on.intern("android_logcat");
    let (ts, utid, prio) = (on.packet.ts, Some(utid), prio as u32);
    on.tables.logs.push(LogRow { ts, utid, prio, log_source, tag, msg, arg_set_id: None });
    Some(())
}

/// Adds where a message was logged; gives that in one word.
fn add_log_location(iid: u64, args: &mut ArgSet, on: &mut On<'_, '_>) -> Option<StringId> {
    let location = interned(field::SOURCE_LOCATIONS, iid, on)?;
    let (file, function) = (text(&location, 2, on), text(&location, 3, on));
    let line = location.uint(4) as u32;
    let values = [
        ("track_event.log_message.file_name", ArgValue::String(file)),
        ("track_event.log_message.function_name", ArgValue::String(function)),
        ("track_event.log_message.line_number", ArgValue::Int(i64::from(line))),
    ];
    for (key, value) in values {
        args.add(on.intern(key), value);
    }
    let place = format!("{}:{line}", String::from_utf8_lossy(location.bytes(2)));
    Some(on.intern(&place))
}

/// Adds the name of a histogram that the event refers to.
fn add_histogram_name(sample: &[u8], args: &mut ArgSet, on: &mut On<'_, '_>) -> Option<()> {
    let sample = LastFields::<5>::new(sample);
    let Some(iid) = sample.get(4) else { return Some(()) };
    if sample.has(2) {
        return None;
    }
    let name = interned(field::HISTOGRAM_NAMES, iid.as_u64(), on)?;
    let name = text(&name, 2, on);
    args.add(on.intern("chrome_histogram_sample.name"), ArgValue::String(name));
    Some(())
}

/// Processes that Chrome says there are.
fn note_processes(message: &[u8], on: &mut On<'_, '_>) {
    for field in Fields::new(message).filter(|field| field.number == 1) {
        for pid in tpq_proto::wire::repeated(&field) {
            let pid = Tid { machine: on.packet.machine, id: i64::from(pid as u32) };
            on.trackers.processes.process(pid, on.tables);
        }
    }
}

/// The fields of an interned message; one that was never sent is counted.
fn interned<'a>(kind: u32, iid: u64, on: &mut On<'_, 'a>) -> Option<LastFields<'a, 5>> {
    let packet = on.packet;
    let message = packet.interned.known(packet.generation, kind, iid, on.stats)?;
    Some(LastFields::new(message))
}

fn text(message: &LastFields<'_, 5>, number: usize, on: &mut On<'_, '_>) -> StringId {
    match message.get(number) {
        Some(text) => on.tables.strings.intern_bytes(text.as_bytes()),
        None => StringId::NULL,
    }
}
