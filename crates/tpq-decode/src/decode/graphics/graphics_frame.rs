//! Buffers on their way from an app over the GPU and Android's compositor to the display.

use tpq_ingest::Route;
use tpq_proto::fields::{
    graphics_frame_event::{self, buffer_event},
    trace_packet,
};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Phase, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::GRAPHICS_FRAME_EVENT, route: Route::Sorted, decode };

const TRACK: TrackKind = TrackKind::slices("graphics_frame_event");
const FRAME_NUMBER: &str = "frame_number";

/// Events of a buffer, by number.
mod happened {
    pub(in crate::decode) const DEQUEUE: u64 = 1;
    pub(in crate::decode) const QUEUE: u64 = 2;
    pub(in crate::decode) const ACQUIRE_FENCE: u64 = 4;
    pub(in crate::decode) const LATCH: u64 = 5;
    pub(in crate::decode) const PRESENT_FENCE: u64 = 8;
    pub(in crate::decode) const NAMES: [&str; 14] = [
        "unspecified_event",
        "Dequeue",
        "Queue",
        "Post",
        "AcquireFenceSignaled",
        "Latch",
        "HWCCompositionQueued",
        "FallbackComposition",
        "PresentFenceSignaled",
        "ReleaseFenceSignaled",
        "Modify",
        "Detach",
        "Attach",
        "Cancel",
    ];
}

/// Something that happened to a buffer.
struct Event<'a> {
    ts: i64,
    machine: u32,
    /// Which of the things that happen to buffers, if it says.
    kind: Option<u64>,
    frame: u32,
    buffer: u32,
    layer: &'a str,
    /// The layer's name, or that it has none.
    layer_name: StringId,
    dur: i64,
}

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let Some(event) = LastFields::<2>::new(packet.data).get(graphics_frame_event::BUFFER_EVENT)
    else {
        return;
    };
    let event = LastFields::<6>::new(event.as_bytes());
    let Some(buffer) = event.get(buffer_event::BUFFER_ID) else {
        stats.increment(Stat::GraphicsFrameEventParserErrors);
        return;
    };
    let layer = String::from_utf8_lossy(event.bytes(buffer_event::LAYER_NAME));
    let layer_name =
        if event.has(buffer_event::LAYER_NAME) { layer.as_ref() } else { "no_layer_name" };
    let event = Event {
        ts: packet.ts(),
        machine: packet.machine,
        kind: event.get(buffer_event::TYPE).map(|kind| kind.as_u64()),
        frame: event.uint(buffer_event::FRAME_NUMBER) as u32,
        buffer: buffer.as_u32(),
        layer: &layer,
        layer_name: tables.strings.intern(layer_name),
        dur: event.int(buffer_event::DURATION_NS),
    };
    add_event(&event, trackers, tables, stats);
    change_phase(&event, trackers, tables, stats);
}

fn track(event: &Event<'_>, name: &str, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let name = tables.strings.intern(name);
    let dimensions = Dimensions::machine(event.machine).text("name", name);
    trackers.source.tracks.get(TRACK, dimensions, name, &mut trackers.deferred, tables)
}

/// The args of all slices of a buffer.
fn describe(event: &Event<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let frame = ArgValue::Int(i64::from(event.frame));
    args.add(tables.strings.intern(FRAME_NUMBER), frame);
    args.add(tables.strings.intern("layer_name"), ArgValue::String(event.layer_name));
    args
}

/// Adds the event to those of the buffer.
fn add_event(event: &Event<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let buffers = &mut trackers.source.buffers.buffers;
    let buffer = buffers.entry((event.buffer, event.layer_name)).or_default();
    match event.kind {
        Some(happened::DEQUEUE) => {}
        Some(happened::QUEUE) => buffer.queued = event.ts,
        Some(happened::ACQUIRE_FENCE) => buffer.acquired = event.ts,
        Some(happened::LATCH) => buffer.latched = event.ts,
        _ => stats.increment(Stat::GraphicsFrameEventParserErrors),
    }
    let times = [
        ("queue_to_acquire_time", buffer.acquired.saturating_sub(buffer.queued).max(0)),
        ("acquire_to_latch_time", buffer.latched.saturating_sub(buffer.acquired)),
        ("latch_to_present_time", event.ts.saturating_sub(buffer.latched)),
    ];
    let mut args = describe(event, tables);
    for (key, value) in times {
        args.add(tables.strings.intern(key), ArgValue::Int(value));
    }
    let name = event.kind.and_then(|kind| happened::NAMES.get(kind as usize));
    let name = tables.strings.intern(name.unwrap_or(&"unknown_event"));
    let track_name = format!("Buffer: {} {}", event.buffer, event.layer);
    let track = track(event, &track_name, trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.complete(slice, event.dur, &args, tables, stats);
}

/// Ends the phase a buffer is in, and begins the next: the app draws until it gives the buffer
/// away, the GPU until it is done, and the compositor has it until it is shown.
fn change_phase(
    event: &Event<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let key = (event.buffer, event.layer_name);
    let Some(buffer) = trackers.source.buffers.buffers.get(&key) else { return };
    let (phase, acquired) = (buffer.phase.clone(), buffer.acquired);
    let next = match event.kind {
        Some(happened::DEQUEUE) => begin_app(&phase, event, trackers, tables, stats),
        Some(happened::QUEUE) => begin_gpu(&phase, acquired, event, trackers, tables, stats),
        Some(happened::ACQUIRE_FENCE) => match phase {
            Phase::Gpu { track } => {
                end(event, track, trackers, tables, stats);
                Phase::Unknown
            }
            phase => phase,
        },
        Some(happened::LATCH) => {
            forget_app(&phase, event, trackers, tables);
            let name = format!("SF_{} {}", event.buffer, event.layer);
            let track = track(event, &name, trackers, tables);
            begin(event, track, trackers, tables, stats);
            Phase::Compositor { track }
        }
        Some(happened::PRESENT_FENCE) => present(phase, event, trackers, tables, stats),
        _ => phase,
    };
    if let Some(buffer) = trackers.source.buffers.buffers.get_mut(&key) {
        buffer.phase = next;
    }
}

/// The app got the buffer.
fn begin_app(
    phase: &Phase,
    event: &Event<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Phase {
    forget_app(phase, event, trackers, tables);
    let name = format!("APP_{} {}", event.buffer, event.layer);
    let track = track(event, &name, trackers, tables);
    match begin(event, track, trackers, tables, stats) {
        Some(slice) => Phase::App { slice, track, since: event.ts },
        None => Phase::Unknown,
    }
}

/// The app gave the buffer away. The GPU may be done before, at the time `acquired`.
fn begin_gpu(
    phase: &Phase,
    acquired: i64,
    event: &Event<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Phase {
    if let &Phase::App { slice, track, since } = phase {
        end(event, track, trackers, tables, stats);
        name_app(slice, event, event.frame, trackers, tables);
        if acquired > since {
            return Phase::Unknown;
        }
    }
    let name = format!("GPU_{} {}", event.buffer, event.layer);
    let track = track(event, &name, trackers, tables);
    begin(event, track, trackers, tables, stats);
    Phase::Gpu { track }
}

/// The buffer is on the display, and the one before of its layer no more.
fn present(
    phase: Phase,
    event: &Event<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Phase {
    let next = match phase {
        Phase::Compositor { track } => {
            end(event, track, trackers, tables, stats);
            Phase::Unknown
        }
        phase => phase,
    };
    if let Some(&track) = trackers.source.buffers.shown.get(&event.layer_name) {
        end(event, track, trackers, tables, stats);
    }
    let track = track(event, &format!("Display_{}", event.layer), trackers, tables);
    begin(event, track, trackers, tables, stats);
    trackers.source.buffers.shown.insert(event.layer_name, track);
    next
}

/// Ends the phase on a track.
fn end(
    event: &Event<'_>,
    track: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let any = StringId::NULL;
    trackers.source.slices.end(event.ts, track, any, any, tables, stats);
}

/// Begins a phase, by the name of its frame or, where that is not known, of its time.
fn begin(
    event: &Event<'_>,
    track: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let name = match event.frame {
        0 => event.ts.to_string(),
        frame => frame.to_string(),
    };
    let name = tables.strings.intern(&name);
    let args = describe(event, tables);
    let arg_set_id = trackers.deferred.intern(&args);
    let slice = NewSlice { ts: event.ts, track, name, arg_set_id, ..NewSlice::default() };
    trackers.source.slices.begin(slice, tables, stats)
}

/// Names the phase in which an app drew by the frame it drew.
fn name_app(
    slice: u32,
    event: &Event<'_>,
    frame: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    tables.slice.name.set(slice, tables.strings.intern(&frame.to_string()));
    let mut args = describe(event, tables);
    args.put(tables.strings.intern(FRAME_NUMBER), ArgValue::Int(i64::from(frame)));
    let args = trackers.deferred.intern(&args);
    tables.slice.arg_set_id.set(slice, args);
}

/// The end of the phase in which an app drew was lost, so it is of no frame that is known.
fn forget_app(phase: &Phase, event: &Event<'_>, trackers: &mut Trackers, tables: &mut Tables) {
    if let &Phase::App { slice, .. } = phase {
        name_app(slice, event, 0, trackers, tables);
    }
}
