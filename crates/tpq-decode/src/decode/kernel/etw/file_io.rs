//! Operations on files, from the request to its end. The address of the request packet tells which
//! end belongs to which request.

use std::collections::BTreeMap;

use tpq_proto::fields::{
    etw_trace_event, file_io_create_etw_event as create, file_io_dir_enum_etw_event as dir_enum,
    file_io_info_etw_event as info, file_io_op_end_etw_event as op_end,
    file_io_path_operation_etw_event as path_operation, file_io_read_write_etw_event as read_write,
    file_io_simple_op_etw_event as simple_op,
};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, SliceEnd, TrackKind, Trackers, Utid};

use super::{EtwEvent, file_info};
use ArgKind::{Class, ExtraInfo, Pointer, Text, Uint};

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

/// How a field becomes an arg.
#[derive(Clone, Copy)]
enum ArgKind {
    /// An address, or flags.
    Pointer,
    Uint,
    Text,
    /// The kind of information that is asked for.
    Class,
    /// A number with a meaning that depends on the kind of information, in this field.
    ExtraInfo(u32),
}

/// A kind of event that begins an operation.
struct Beginning {
    /// The field of the event that it lies in.
    event: u32,
    /// The field with the address of the request.
    request: u32,
    /// The field with the number of the operation, if it has one.
    opcode: Option<u32>,
    /// The name of operations of unknown numbers.
    name: &'static str,
    /// Fields with their keys, in the order of the args.
    args: &'static [(u32, &'static str, ArgKind)],
}

const REQUEST: &str = "I/O Request Packet";
const FILE_OBJECT: &str = "File Object";
const FILE_KEY: &str = "File Key";
const THREAD_ID: &str = "Thread ID";
const EXTRA_INFO: &str = "Extra Info";
const INFO_CLASS: &str = "Info Class";

const BEGINNINGS: [Beginning; 6] = [
    Beginning {
        event: etw_trace_event::FILE_IO_CREATE,
        request: create::IRP_PTR,
        opcode: None,
        name: "CreateFile",
        args: &[
            (create::IRP_PTR, REQUEST, Pointer),
            (create::FILE_OBJECT, FILE_OBJECT, Pointer),
            (create::TTID, THREAD_ID, Uint),
            (create::CREATE_OPTIONS, "Create Options", Pointer),
            (create::FILE_ATTRIBUTES, "File Attributes", Pointer),
            (create::SHARE_ACCESS, "Share Access", Pointer),
            (create::OPEN_PATH, "Open Path", Text),
        ],
    },
    Beginning {
        event: etw_trace_event::FILE_IO_DIR_ENUM,
        request: dir_enum::IRP_PTR,
        opcode: Some(dir_enum::OPCODE),
        name: "DirEnum",
        args: &[
            (dir_enum::IRP_PTR, REQUEST, Pointer),
            (dir_enum::FILE_OBJECT, FILE_OBJECT, Pointer),
            (dir_enum::FILE_KEY, FILE_KEY, Pointer),
            (dir_enum::TTID, THREAD_ID, Uint),
            (dir_enum::INFO_CLASS, INFO_CLASS, Class),
            (dir_enum::FILE_INDEX, "File Index", Uint),
            (dir_enum::FILE_NAME, "Enumeration Path", Text),
        ],
    },
    Beginning {
        event: etw_trace_event::FILE_IO_INFO,
        request: info::IRP_PTR,
        opcode: Some(info::OPCODE),
        name: "Info",
        args: &[
            (info::IRP_PTR, REQUEST, Pointer),
            (info::FILE_OBJECT, FILE_OBJECT, Pointer),
            (info::FILE_KEY, FILE_KEY, Pointer),
            (info::EXTRA_INFO, EXTRA_INFO, ExtraInfo(info::INFO_CLASS)),
            (info::TTID, THREAD_ID, Uint),
            (info::INFO_CLASS, INFO_CLASS, Class),
        ],
    },
    Beginning {
        event: etw_trace_event::FILE_IO_READ_WRITE,
        request: read_write::IRP_PTR,
        opcode: Some(read_write::OPCODE),
        name: "ReadOrWrite",
        args: &[
            (read_write::IRP_PTR, REQUEST, Pointer),
            (read_write::OFFSET, "Offset", Uint),
            (read_write::FILE_OBJECT, FILE_OBJECT, Pointer),
            (read_write::FILE_KEY, FILE_KEY, Pointer),
            (read_write::TTID, THREAD_ID, Uint),
            (read_write::IO_SIZE, "I/O Size", Uint),
            (read_write::IO_FLAGS, "I/O Flags", Pointer),
        ],
    },
    Beginning {
        event: etw_trace_event::FILE_IO_SIMPLE_OP,
        request: simple_op::IRP_PTR,
        opcode: Some(simple_op::OPCODE),
        name: "SimpleOp",
        args: &[
            (simple_op::IRP_PTR, REQUEST, Pointer),
            (simple_op::FILE_OBJECT, FILE_OBJECT, Pointer),
            (simple_op::FILE_KEY, FILE_KEY, Pointer),
            (simple_op::TTID, THREAD_ID, Uint),
        ],
    },
    Beginning {
        event: etw_trace_event::FILE_IO_PATH_OPERATION,
        request: path_operation::IRP_PTR,
        opcode: Some(path_operation::OPCODE),
        name: "PathOperation",
        args: &[
            (path_operation::IRP_PTR, REQUEST, Pointer),
            (path_operation::FILE_OBJECT, FILE_OBJECT, Pointer),
            (path_operation::FILE_KEY, FILE_KEY, Pointer),
            (path_operation::EXTRA_INFO, EXTRA_INFO, Uint),
            (path_operation::TTID, THREAD_ID, Uint),
            (path_operation::INFO_CLASS, INFO_CLASS, Class),
            (path_operation::FILE_NAME, "File Name", Text),
        ],
    },
];

/// The fields of an event.
type EventFields<'m> = LastFields<'m, 10>;

/// The args that fields become.
fn args_of(
    fields: &EventFields<'_>,
    kinds: &[(u32, &'static str, ArgKind)],
    tables: &mut Tables,
) -> ArgSet {
    let strings = &mut tables.strings;
    let mut args = ArgSet::default();
    for &(number, key, kind) in kinds {
        let Some(field) = fields.get(number) else { continue };
        let (key, value) = match kind {
            Pointer => (key, ArgValue::Pointer(field.as_u64())),
            Uint => (key, ArgValue::Uint(field.as_u64())),
            Text => (key, ArgValue::String(strings.intern_bytes(field.as_bytes()))),
            Class => match file_info::class(field.as_u32()) {
                Some(name) => (key, ArgValue::String(strings.intern(name))),
                None => (key, ArgValue::Uint(field.as_u64())),
            },
            ExtraInfo(class) => (extra_info(fields, class), ArgValue::Uint(field.as_u64())),
        };
        args.add(strings.intern(key), value);
    }
    args
}

/// The key of the additional number of a request for information.
fn extra_info(fields: &EventFields<'_>, class: u32) -> &'static str {
    match fields.get(class).map(|class| class.as_u32()) {
        Some(file_info::DISPOSITION) => "Disposition",
        Some(file_info::END_OF_FILE | file_info::ALLOCATION) => "File Size",
        _ => EXTRA_INFO,
    }
}

/// Decodes an event that begins an operation.
pub(super) fn decode_beginning(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(kind) = BEGINNINGS.iter().find(|kind| kind.event == event.kind) else { return };
    let fields = EventFields::new(message);
    let args = args_of(&fields, kind.args, tables);
    let number = |field| fields.get(field).map(|value| value.as_u64());
    let opcode = kind.opcode.and_then(number).and_then(|opcode| u32::try_from(opcode).ok());
    let name = opcode.and_then(file_info::operation).unwrap_or(kind.name);
    begin(event, (number(kind.request), name), args, trackers, tables, stats);
}

pub(super) fn decode_end(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let fields = EventFields::new(message);
    let kinds = [(op_end::EXTRA_INFO, EXTRA_INFO, Uint), (op_end::NT_STATUS, "NT Status", Pointer)];
    let mut args = args_of(&fields, &kinds, tables);
    let Some(request) = fields.get(op_end::IRP_PTR).map(|request| request.as_u64()) else {
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
