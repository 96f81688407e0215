//! Operations on files, from the request to its end. The address of the request packet tells which
//! end belongs to which request.

use std::collections::BTreeMap;

use tpq_proto::fields::{
    file_io_create_etw_event as create, file_io_dir_enum_etw_event as dir_enum,
    file_io_info_etw_event as info, file_io_op_end_etw_event as op_end,
    file_io_path_operation_etw_event as path_operation, file_io_read_write_etw_event as read_write,
    file_io_simple_op_etw_event as simple_op,
};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, SliceEnd, TrackKind, Trackers, Utid};

use super::{EtwEvent, file_info};

const TRACKS: TrackKind = TrackKind::slices("etw_fileio");
const END_OPERATION: &str = "EndOperation";
/// The arg of an operation of which one event is missing.
const MISSING_EVENT: &str = "Missing Event";

/// Operations that have not ended, by the address of the request.
#[derive(Default)]
struct Operations(BTreeMap<u64, Operation>);

/// An operation that has not ended.
#[derive(Clone, Copy)]
struct Operation {
    ts: i64,
    utid: Utid,
}

/// The fields of an event, and the args that they become.
struct Details<'m, 't> {
    fields: LastFields<'m, 10>,
    args: ArgSet,
    tables: &'t mut Tables,
}

impl<'m, 't> Details<'m, 't> {
    fn new(message: &'m [u8], tables: &'t mut Tables) -> Self {
        Self { fields: LastFields::new(message), args: ArgSet::default(), tables }
    }

    fn number(&self, number: u32) -> Option<u64> {
        self.fields.get(number).map(|field| field.as_u64())
    }

    fn add(&mut self, key: &str, value: ArgValue) {
        let key = self.tables.strings.intern(key);
        self.args.add(key, value);
    }

    /// Adds an address, or flags.
    fn pointer(&mut self, number: u32, key: &str) {
        if let Some(value) = self.number(number) {
            self.add(key, ArgValue::Pointer(value));
        }
    }

    fn uint(&mut self, number: u32, key: &str) {
        if let Some(value) = self.number(number) {
            self.add(key, ArgValue::Uint(value));
        }
    }

    fn text(&mut self, number: u32, key: &str) {
        if let Some(field) = self.fields.get(number) {
            let text = self.tables.strings.intern_bytes(field.as_bytes());
            self.add(key, ArgValue::String(text));
        }
    }

    /// Adds the kind of information that is asked for.
    fn class(&mut self, number: u32) {
        let Some(value) = self.number(number) else { return };
        let value = match file_info::class(value as u32) {
            Some(name) => ArgValue::String(self.tables.strings.intern(name)),
            None => ArgValue::Uint(value),
        };
        self.add("Info Class", value);
    }

    /// The name of the operation, by its number if it has one that is known.
    fn name(&self, number: u32, otherwise: &'static str) -> &'static str {
        let opcode = self.number(number).and_then(|opcode| u32::try_from(opcode).ok());
        opcode.and_then(file_info::operation).unwrap_or(otherwise)
    }
}

const REQUEST: &str = "I/O Request Packet";
const FILE_OBJECT: &str = "File Object";
const FILE_KEY: &str = "File Key";
const THREAD_ID: &str = "Thread ID";
const EXTRA_INFO: &str = "Extra Info";

pub(super) fn decode_create(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.pointer(create::IRP_PTR, REQUEST);
    details.pointer(create::FILE_OBJECT, FILE_OBJECT);
    details.uint(create::TTID, THREAD_ID);
    details.pointer(create::CREATE_OPTIONS, "Create Options");
    details.pointer(create::FILE_ATTRIBUTES, "File Attributes");
    details.pointer(create::SHARE_ACCESS, "Share Access");
    details.text(create::OPEN_PATH, "Open Path");
    let request = details.number(create::IRP_PTR);
    let args = details.args;
    begin(event, (request, "CreateFile"), args, trackers, tables, stats);
}

pub(super) fn decode_dir_enum(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.pointer(dir_enum::IRP_PTR, REQUEST);
    details.pointer(dir_enum::FILE_OBJECT, FILE_OBJECT);
    details.pointer(dir_enum::FILE_KEY, FILE_KEY);
    details.uint(dir_enum::TTID, THREAD_ID);
    details.class(dir_enum::INFO_CLASS);
    details.uint(dir_enum::FILE_INDEX, "File Index");
    details.text(dir_enum::FILE_NAME, "Enumeration Path");
    let request = details.number(dir_enum::IRP_PTR);
    let name = details.name(dir_enum::OPCODE, "DirEnum");
    let args = details.args;
    begin(event, (request, name), args, trackers, tables, stats);
}

pub(super) fn decode_info(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.pointer(info::IRP_PTR, REQUEST);
    details.pointer(info::FILE_OBJECT, FILE_OBJECT);
    details.pointer(info::FILE_KEY, FILE_KEY);
    let key = match details.number(info::INFO_CLASS).map(|class| class as u32) {
        Some(file_info::DISPOSITION) => "Disposition",
        Some(file_info::END_OF_FILE | file_info::ALLOCATION) => "File Size",
        _ => EXTRA_INFO,
    };
    details.uint(info::EXTRA_INFO, key);
    details.uint(info::TTID, THREAD_ID);
    details.class(info::INFO_CLASS);
    let request = details.number(info::IRP_PTR);
    let name = details.name(info::OPCODE, "Info");
    let args = details.args;
    begin(event, (request, name), args, trackers, tables, stats);
}

pub(super) fn decode_read_write(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.pointer(read_write::IRP_PTR, REQUEST);
    details.uint(read_write::OFFSET, "Offset");
    details.pointer(read_write::FILE_OBJECT, FILE_OBJECT);
    details.pointer(read_write::FILE_KEY, FILE_KEY);
    details.uint(read_write::TTID, THREAD_ID);
    details.uint(read_write::IO_SIZE, "I/O Size");
    details.pointer(read_write::IO_FLAGS, "I/O Flags");
    let request = details.number(read_write::IRP_PTR);
    let name = details.name(read_write::OPCODE, "ReadOrWrite");
    let args = details.args;
    begin(event, (request, name), args, trackers, tables, stats);
}

pub(super) fn decode_simple_op(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.pointer(simple_op::IRP_PTR, REQUEST);
    details.pointer(simple_op::FILE_OBJECT, FILE_OBJECT);
    details.pointer(simple_op::FILE_KEY, FILE_KEY);
    details.uint(simple_op::TTID, THREAD_ID);
    let request = details.number(simple_op::IRP_PTR);
    let name = details.name(simple_op::OPCODE, "SimpleOp");
    let args = details.args;
    begin(event, (request, name), args, trackers, tables, stats);
}

pub(super) fn decode_path_operation(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.pointer(path_operation::IRP_PTR, REQUEST);
    details.pointer(path_operation::FILE_OBJECT, FILE_OBJECT);
    details.pointer(path_operation::FILE_KEY, FILE_KEY);
    details.uint(path_operation::EXTRA_INFO, EXTRA_INFO);
    details.uint(path_operation::TTID, THREAD_ID);
    details.class(path_operation::INFO_CLASS);
    details.text(path_operation::FILE_NAME, "File Name");
    let request = details.number(path_operation::IRP_PTR);
    let name = details.name(path_operation::OPCODE, "PathOperation");
    let args = details.args;
    begin(event, (request, name), args, trackers, tables, stats);
}

pub(super) fn decode_end(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut details = Details::new(message, tables);
    details.uint(op_end::EXTRA_INFO, EXTRA_INFO);
    details.pointer(op_end::NT_STATUS, "NT Status");
    let request = details.number(op_end::IRP_PTR);
    let mut args = details.args;
    let Some(request) = request else {
        return instant(event, END_OPERATION, &args, trackers, tables, stats);
    };
    let Operations(open) = trackers.source.states.get();
    match open.remove(&request) {
        Some(operation) => end(request, operation.utid, event.ts, &args, trackers, tables, stats),
        None => {
            args.append(&missing("Start", tables));
            instant(event, END_OPERATION, &args, trackers, tables, stats);
        }
    }
}

/// Begins an operation. Without the address of its request, nothing can end it.
fn begin(
    event: EtwEvent,
    (request, name): (Option<u64>, &str),
    args: ArgSet,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(request) = request else {
        return instant(event, name, &args, trackers, tables, stats);
    };
    let utid = event.utid(event.thread, trackers, tables);
    let Operations(open) = trackers.source.states.get();
    // An address is used again once its request is over.
    if let Some(lost) = open.insert(request, Operation { ts: event.ts, utid }) {
        end_unseen(request, lost, trackers, tables, stats);
    }
    let track = trackers.begin_shared(sharing(utid), request.cast_signed(), tables);
    let name = tables.strings.intern(name);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.begin_slice(slice, args, tables, stats);
}

fn sharing(utid: Utid) -> Sharing {
    Sharing { kind: TRACKS, dimensions: Dimensions::thread(utid), name: StringId::NULL }
}

/// Ends the slice of an operation of a thread.
fn end(
    request: u64,
    utid: Utid,
    ts: i64,
    args: &ArgSet,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = trackers.end_shared(sharing(utid), request.cast_signed(), tables);
    let any = StringId::NULL;
    let end = SliceEnd { ts, track, category: any, name: any };
    trackers.end_slice(end, args, tables, stats);
}

/// Ends an operation with an end that was not recorded: it has no duration.
fn end_unseen(
    request: u64,
    Operation { ts, utid }: Operation,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = missing("End", tables);
    end(request, utid, ts, &args, trackers, tables, stats);
}

/// Ends the operations of a source with ends that were not recorded.
pub(crate) fn end_operations(trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let Operations(open) = std::mem::take(trackers.source.states.get());
    for (request, operation) in open {
        end_unseen(request, operation, trackers, tables, stats);
    }
}

/// The arg that says which event is missing.
fn missing(event: &str, tables: &mut Tables) -> ArgSet {
    let event = ArgValue::String(tables.strings.intern(event));
    ArgSet::of([(MISSING_EVENT, event)], &mut tables.strings)
}

/// An event that belongs to no other.
fn instant(
    event: EtwEvent,
    name: &str,
    args: &ArgSet,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let utid = event.utid(event.thread, trackers, tables);
    let track = trackers.complete_shared(sharing(utid), event.ts, 0, tables);
    let name = tables.strings.intern(name);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.complete(slice, 0, args, tables, stats);
}
