//! Frames of Android's compositor: when they were expected to be drawn and shown, and when they
//! were.

use tpq_ingest::Route;
use tpq_proto::fields::{
    frame_timeline_event::{
        self, expected_display_frame_start, expected_surface_frame_start, frame_end,
    },
    trace_packet,
};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::graphics::frame_verdict::{self, Frame};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, Tid, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::FRAME_TIMELINE_EVENT,
    route: Route::Sorted,
    decode: decode_event,
};

const EXPECTED: TrackKind = TrackKind::slices("android_expected_frame_timeline");
const ACTUAL: TrackKind = TrackKind::slices("android_actual_frame_timeline");
/// Moments from here on are a mistake of the recorder, ns.
const IMPOSSIBLE: i64 = i64::MAX - 10_000_000_000;

/// The message of a frame's beginning.
type Fields<'a> = LastFields<'a, 21>;

fn decode_event(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let event = LastFields::<6>::new(packet.data);
    let decoded = match (frame_timeline_event::EXPECTED_DISPLAY_FRAME_START
        ..=frame_timeline_event::FRAME_END)
        .find_map(|kind| Some((kind, event.get(kind)?.as_bytes())))
    {
        _ if packet.ts() >= IMPOSSIBLE => None,
        Some((frame_timeline_event::FRAME_END, end)) => {
            decode_end(packet, &Fields::new(end), trackers, tables, stats)
        }
        Some((kind, start)) => Start::read(kind, start).map(|start| {
            trackers.bounds.include(packet.ts());
            decode_start(packet, &start, trackers, tables, stats);
        }),
        None => None,
    };
    if decoded.is_none() {
        stats.increment(Stat::FrameTimelineEventParserErrors);
    }
}

/// The beginning of a frame.
struct Start<'a> {
    actual: bool,
    /// Of a frame of an app's surface: the display frame it is meant for.
    display_frame: Option<i64>,
    cookie: i64,
    token: i64,
    pid: i64,
    fields: Fields<'a>,
}

impl<'a> Start<'a> {
    /// Reads one of a kind, which is the number of its field. `None` when the data needed to know
    /// the frame is not there.
    fn read(kind: u32, bytes: &'a [u8]) -> Option<Self> {
        let fields = Fields::new(bytes);
        let get = |number| fields.get(number).map(|field| field.as_i64());
        let (display_frame, pid) = match kind {
            frame_timeline_event::EXPECTED_DISPLAY_FRAME_START
            | frame_timeline_event::ACTUAL_DISPLAY_FRAME_START => {
                (None, get(expected_display_frame_start::PID)?)
            }
            _ => (
                Some(get(expected_surface_frame_start::DISPLAY_FRAME_TOKEN)?),
                get(expected_surface_frame_start::PID)?,
            ),
        };
        let actual = matches!(
            kind,
            frame_timeline_event::ACTUAL_DISPLAY_FRAME_START
                | frame_timeline_event::ACTUAL_SURFACE_FRAME_START
        );
        Some(Self {
            actual,
            display_frame,
            cookie: get(expected_surface_frame_start::COOKIE)?,
            token: get(expected_surface_frame_start::TOKEN)?,
            pid,
            fields,
        })
    }
}

fn decode_start(
    packet: &Packet<'_>,
    start: &Start<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let pid = Tid { machine: packet.machine, id: i64::from(start.pid as i32) };
    let upid = trackers.processes.process(pid, tables);
    let (kind, name) = match start.actual {
        true => (ACTUAL, "Actual Timeline"),
        false => (EXPECTED, "Expected Timeline"),
    };
    let name = tables.strings.intern(name);
    let key = Sharing { kind, dimensions: Dimensions::process(upid), name };
    trackers.source.frames.begin(start.cookie, key);
    let repeated = !start.actual
        && start.display_frame.is_some()
        && !trackers.source.frames.expect(upid, start.token);
    if repeated {
        return;
    }
    let track = trackers.begin_shared(key, start.cookie, tables);
    let name = tables.strings.intern(&start.token.to_string());
    let set = describe(start, tables, stats);
    let arg_set_id = trackers.deferred.intern(&set);
    let slice = NewSlice { ts: packet.ts(), track, name, arg_set_id, ..NewSlice::default() };
    let Some(slice) = trackers.source.slices.begin(slice, tables, stats) else { return };
    match (start.actual, start.display_frame) {
        (true, Some(display_frame)) => trackers.source.frames.add_surface(display_frame, slice),
        (true, None) => {
            for surface in trackers.source.frames.take_surfaces(start.token) {
                trackers.file.flows.link(surface, slice, tables);
            }
        }
        (false, _) => {}
    }
}

/// The args of a frame.
fn describe(start: &Start<'_>, tables: &mut Tables, stats: &mut Stats) -> ArgSet {
    let mut set = ArgSet::default();
    let mut add = |key: &str, value: ArgValue, tables: &mut Tables| {
        set.add(tables.strings.intern(key), value);
    };
    let token = ArgValue::Int(start.token);
    match start.display_frame {
        Some(display_frame) => {
            add("Surface frame token", token, tables);
            add("Display frame token", ArgValue::Int(display_frame), tables);
            let layer = crate::decode::text(
                &start.fields,
                expected_surface_frame_start::LAYER_NAME,
                tables,
            );
            add("Layer name", ArgValue::String(layer), tables);
        }
        None => add("Display frame token", token, tables),
    }
    if start.actual {
        let of_surface = start.display_frame.is_some();
        frame_verdict::describe(&Frame::read(&start.fields, of_surface, stats), &mut set, tables);
    }
    set
}

/// A frame ends. A frame with an unseen beginning is counted.
fn decode_end(
    packet: &Packet<'_>,
    end: &Fields<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<()> {
    let cookie = end.get(frame_end::COOKIE)?.as_i64();
    let Some(key) = trackers.source.frames.end(cookie) else {
        stats.increment(Stat::FrameTimelineUnpairedEndEvent);
        return Some(());
    };
    let track = trackers.end_shared(key, cookie, tables);
    let any = StringId::NULL;
    trackers.source.slices.end(packet.ts(), track, any, any, tables, stats);
    Some(())
}
