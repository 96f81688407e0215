//! Commands and buffers of video devices that a host lends to a guest.

use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{
    ArgSet, ArgValue, Dimensions, NewSlice, Sharing, SliceEnd, TrackKind, Trackers,
};

pub(super) const EVENTS: Events =
    &[(439, request), (440, response), (441, queue), (442, queue_done)];

const QUEUE: TrackKind = TrackKind::slices("virtio_video_queue_event");
const COMMAND: TrackKind = TrackKind::slices("virtio_video_command");

/// How long commands are shown, in ns: the events do not say how long they take.
const COMMAND_DURATION: i64 = 100_000;

/// The commands, the first of which has number [`FIRST_COMMAND`].
const COMMANDS: [&str; 15] = [
    "QUERY_CAPABILITY",
    "STREAM_CREATE",
    "STREAM_DESTROY",
    "STREAM_DRAIN",
    "RESOURCE_CREATE",
    "RESOURCE_QUEUE",
    "RESOURCE_DESTROY_ALL",
    "QUEUE_CLEAR",
    "GET_PARAMS",
    "SET_PARAMS",
    "QUERY_CONTROL",
    "GET_CONTROL",
    "SET_CONTROL",
    "GET_PARAMS_EXT",
    "SET_PARAMS_EXT",
];
const FIRST_COMMAND: u32 = 0x100;

fn queue_type(number: u32) -> &'static str {
    match number {
        0x100 => "INPUT",
        0x101 => "OUTPUT",
        _ => "Unknown",
    }
}

fn request(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    command(event, false, trackers, tables, stats);
}

fn response(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    command(event, true, trackers, tables, stats);
}

fn command(
    event: &FtraceEvent<'_>,
    is_response: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let stream = event.uint(1) as u32;
    let direction = if is_response { "Responses" } else { "Requests" };
    let title = tables.strings.intern(&format!("virtio_video stream #{stream} {direction}"));
    let dimensions = Dimensions::machine(event.machine)
        .number("virtio_stream_id", i64::from(stream))
        .number("is_response", i64::from(is_response));
    let sharing = Sharing { kind: COMMAND, dimensions, name: title };
    let track = trackers.complete_shared(sharing, event.ts, COMMAND_DURATION, tables);
    let number = (event.uint(2) as u32).checked_sub(FIRST_COMMAND);
    let name = number.and_then(|number| COMMANDS.get(number as usize)).unwrap_or(&"Unknown");
    let name = tables.strings.intern(name);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.slices.complete(slice, COMMAND_DURATION, tables, stats);
}

/// The tracks of the buffers of a stream's queue.
fn queue_sharing(event: &FtraceEvent<'_>, tables: &mut Tables) -> Sharing {
    let (stream, queue) = (event.uint(7) as u32, event.uint(5) as u32);
    let title = format!("virtio_video stream #{stream} {}", queue_type(queue));
    let dimensions = Dimensions::machine(event.machine)
        .number("virtio_stream_id", i64::from(stream))
        .number("virtio_queue_type", i64::from(queue));
    Sharing { kind: QUEUE, dimensions, name: tables.strings.intern(&title) }
}

fn resource(event: &FtraceEvent<'_>) -> i32 {
    event.int(6) as i32
}

fn queue(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let sharing = queue_sharing(event, tables);
    let track = trackers.begin_shared(sharing, i64::from(resource(event)), tables);
    let name = tables.strings.intern(&format!("Resource #{}", resource(event)));
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn queue_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let sharing = queue_sharing(event, tables);
    let track = trackers.end_shared(sharing, i64::from(resource(event)), tables);
    let int = |field| ArgValue::Int(i64::from(event.uint(field) as u32));
    let queue = tables.strings.intern(queue_type(event.uint(5) as u32));
    let args = [
        ("stream_id", ArgValue::Int(i64::from(event.int(7) as i32))),
        ("resource_id", ArgValue::Int(i64::from(resource(event)))),
        ("queue_type", ArgValue::String(queue)),
        ("data_size0", int(1)),
        ("data_size1", int(2)),
        ("data_size2", int(3)),
        ("data_size3", int(4)),
        ("timestamp", ArgValue::Uint(event.uint(8))),
    ];
    let args = ArgSet::of(args, &mut tables.strings);
    let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
    trackers.end_slice(end, &args, tables, stats);
}
