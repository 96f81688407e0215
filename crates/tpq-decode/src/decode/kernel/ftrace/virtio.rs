//! Devices of virtual machines: commands to their GPU and to their video codecs.

use tpq_proto::fields::ftrace::{
    ftrace_event, virtio_gpu_cmd_queue, virtio_gpu_cmd_response, virtio_video_cmd,
    virtio_video_resource_queue, virtio_video_resource_queue_done,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, Effects};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::VIRTIO_VIDEO_CMD, video_command),
    (ftrace_event::VIRTIO_VIDEO_CMD_DONE, video_command_done),
    (ftrace_event::VIRTIO_VIDEO_RESOURCE_QUEUE, video_queue),
    (ftrace_event::VIRTIO_VIDEO_RESOURCE_QUEUE_DONE, video_queue_done),
    (ftrace_event::VIRTIO_GPU_CMD_QUEUE, gpu_queue),
    (ftrace_event::VIRTIO_GPU_CMD_RESPONSE, gpu_response),
];

const GPU_QUEUE: TrackKind = TrackKind::slices("virtgpu_queue_event");
const GPU_FREE: TrackKind = TrackKind::counter("virtgpu_num_free", None);
const GPU_LATENCY: TrackKind = TrackKind::counter("virtgpu_latency", None);
const VIDEO_QUEUE: TrackKind = TrackKind::slices("virtio_video_queue_event");
const VIDEO_COMMAND: TrackKind = TrackKind::slices("virtio_video_command");

/// How long commands of video codecs are shown to take, which events do not say, in ns.
const VIDEO_COMMAND_DUR: i64 = 100_000;

/// The commands of a virtual GPU: those for flat pictures from 0x100 on, for scenes from 0x200,
/// for the cursor from 0x300.
const GPU_COMMANDS: [(u32, &[&str]); 3] = [
    (
        0x100,
        &[
            "GET_DISPLAY_INFO",
            "RESOURCE_CREATE_2D",
            "RESOURCE_UNREF",
            "SET_SCANOUT",
            "RESOURCE_FLUSH",
            "TRANSFER_TO_HOST_2D",
            "RESOURCE_ATTACH_BACKING",
            "RESOURCE_DETACH_BACKING",
            "GET_CAPSET_INFO",
            "GET_CAPSET",
            "GET_EDID",
            "RESOURCE_ASSIGN_UUID",
            "RESOURCE_CREATE_BLOB",
            "SET_SCANOUT_BLOB",
        ],
    ),
    (
        0x200,
        &[
            "CTX_CREATE",
            "CTX_DESTROY",
            "CTX_ATTACH_RESOURCE",
            "CTX_DETACH_RESOURCE",
            "RESOURCE_CREATE_3D",
            "TRANSFER_TO_HOST_3D",
            "TRANSFER_FROM_HOST_3D",
            "SUBMIT_3D",
            "RESOURCE_MAP_BLOB",
            "RESOURCE_UNMAP_BLOB",
        ],
    ),
    (0x300, &["UPDATE_CURSOR", "MOVE_CURSOR"]),
];

/// The commands of video codecs, from 0x100 on.
const VIDEO_COMMANDS: (u32, &[&str]) = (
    0x100,
    &[
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
    ],
);

/// The name of a number among names that are numbered on from `first`.
fn named((first, names): (u32, &'static [&'static str]), number: u32) -> Option<&'static str> {
    names.get(number.checked_sub(first)? as usize).copied()
}

/// The queue of a GPU that an event is of, with how much of it is free.
fn gpu(effects: &mut Effects<'_, '_>) -> Option<&'static str> {
    let queue = match effects.event.string(virtio_gpu_cmd_queue::NAME).as_ref() {
        "control" => "Control",
        "cursor" => "Cursor",
        _ => return None,
    };
    let of = effects.by_text("virtgpu_name", queue);
    effects.count(
        GPU_FREE,
        of,
        &format!("Virtgpu {queue} Free"),
        effects.event.int(virtio_gpu_cmd_queue::NUM_FREE) as f64,
    );
    Some(queue)
}

fn gpu_queue(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some(queue) = gpu(&mut effects) else { return };
    let (number, command) = (
        event.int(virtio_gpu_cmd_queue::SEQNO) as u32,
        event.int(virtio_gpu_cmd_queue::TYPE) as u32,
    );
    let name = GPU_COMMANDS.into_iter().find_map(|names| named(names, command));
    let of = effects.by_text("virtgpu_name", queue);
    let track = format!("Virtgpu {queue} Queue");
    effects.begin_shared((GPU_QUEUE, of, &track), number.into(), name.unwrap_or_default(), &[]);
    // A command with a fence is not answered at once, so that shows nothing about the queue.
    if event.uint(virtio_gpu_cmd_queue::FENCE_ID) == 0 {
        effects.trackers.source.kernel.virtgpu_commands.insert((queue, number), event.ts);
    }
}

fn gpu_response(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some(queue) = gpu(&mut effects) else { return };
    let number = event.int(virtio_gpu_cmd_response::SEQNO) as u32;
    let of = effects.by_text("virtgpu_name", queue);
    let track = format!("Virtgpu {queue} Queue");
    effects.end_shared((GPU_QUEUE, of, &track), number.into(), &[]);
    let Some(queued) = effects.trackers.source.kernel.virtgpu_commands.remove(&(queue, number))
    else {
        return;
    };
    let latency = event.ts.saturating_sub(queued) as f64;
    effects.count(GPU_LATENCY, of, &format!("Virtgpu {queue} Latency"), latency);
}

fn video_command(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    add_video_command(&mut event.effects(trackers, tables, stats), false);
}

fn video_command_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    add_video_command(&mut event.effects(trackers, tables, stats), true);
}

fn add_video_command(effects: &mut Effects<'_, '_>, response: bool) {
    let (stream, command) = (
        effects.event.int(virtio_video_cmd::STREAM_ID) as u32,
        effects.event.int(virtio_video_cmd::TYPE) as u32,
    );
    let name = named(VIDEO_COMMANDS, command).unwrap_or("Unknown");
    let of = effects
        .machine()
        .number("virtio_stream_id", stream.into())
        .number("is_response", response.into());
    let what = if response { "Responses" } else { "Requests" };
    let track = format!("virtio_video stream #{stream} {what}");
    effects.complete_shared((VIDEO_COMMAND, of, &track), name, VIDEO_COMMAND_DUR);
}

/// The purpose of a queue of a stream.
fn video_queue_name(number: u32) -> &'static str {
    match number {
        0x100 => "INPUT",
        0x101 => "OUTPUT",
        _ => "Unknown",
    }
}

fn video_queue(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let resource = event.int(virtio_video_resource_queue::RESOURCE_ID) as i32;
    with_video_queue(&mut effects, |effects, track| {
        let name = format!("Resource #{resource}");
        effects.begin_shared(track, i64::from(resource) as u64, name.as_str(), &[]);
    });
}

fn video_queue_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let resource = i64::from(event.int(virtio_video_resource_queue_done::RESOURCE_ID) as i32);
    let args = [
        ("stream_id", Arg::Int(event.int(virtio_video_resource_queue_done::STREAM_ID))),
        ("resource_id", Arg::Int(resource)),
        (
            "queue_type",
            Arg::Text(video_queue_name(
                event.int(virtio_video_resource_queue_done::QUEUE_TYPE) as u32
            )),
        ),
        ("data_size0", Arg::Int(event.int(virtio_video_resource_queue_done::DATA_SIZE0))),
        ("data_size1", Arg::Int(event.int(virtio_video_resource_queue_done::DATA_SIZE1))),
        ("data_size2", Arg::Int(event.int(virtio_video_resource_queue_done::DATA_SIZE2))),
        ("data_size3", Arg::Int(event.int(virtio_video_resource_queue_done::DATA_SIZE3))),
        ("timestamp", Arg::Uint(event.uint(virtio_video_resource_queue_done::TIMESTAMP))),
    ];
    with_video_queue(&mut effects, |effects, track| {
        effects.end_shared(track, resource as u64, &args);
    });
}

/// Does something on the track of a stream's queue.
fn with_video_queue(
    effects: &mut Effects<'_, '_>,
    act: impl FnOnce(&mut Effects<'_, '_>, (TrackKind, tpq_trackers::track::Dimensions, &str)),
) {
    let (queue, stream) = (
        effects.event.int(virtio_video_resource_queue::QUEUE_TYPE) as u32,
        effects.event.int(virtio_video_resource_queue::STREAM_ID) as u32,
    );
    let of = effects
        .machine()
        .number("virtio_stream_id", stream.into())
        .number("virtio_queue_type", queue.into());
    let track = format!("virtio_video stream #{stream} {}", video_queue_name(queue));
    act(effects, (VIDEO_QUEUE, of, &track));
}
