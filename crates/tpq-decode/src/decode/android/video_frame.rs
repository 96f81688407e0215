//! Videos of displays: what is known of each frame, without the pictures.

use rustc_hash::FxHashMap;
use tpq_clock::MONOTONIC;
use tpq_ingest::{Bundle, Loss, Payload, Route, SplitSink};
use tpq_proto::fields::{trace_packet, video_frame, video_frame_error};
use tpq_proto::wire::LastFields;
use tpq_tables::table::VideoFrameRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of, text};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::Trackers;

const FIELD: u32 = trace_packet::VIDEO_FRAME;

pub(crate) const FRAMES: BundleDecoder = BundleDecoder { field: FIELD, split, decode };

pub(crate) const ERROR: PacketDecoder =
    PacketDecoder { field: trace_packet::VIDEO_FRAME_ERROR, route: Route::Sorted, decode: error };

/// The names of each display and its codec, which few packets state.
#[derive(Default)]
struct Streams(FxHashMap<u32, (StringId, StringId)>);

const NS_PER_US: i64 = 1000;

/// Passes a frame on at the time at which it was shown. Its packet is written when the encoder is
/// done with it, which is later.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let shown = LastFields::<10>::new(bundle.payload).get(video_frame::PTS_US);
    let shown = shown.map(|us| us.as_i64().saturating_mul(NS_PER_US));
    let shown = shown.filter(|&ns| sink.trace_time(MONOTONIC, ns).is_some());
    let (clock, ns) = match (shown, bundle.ns) {
        (Some(ns), _) => (MONOTONIC, ns),
        (None, Some(ns)) => (bundle.clock, ns),
        (None, None) => {
            sink.lose(Loss::MalformedPacket);
            return;
        }
    };
    let ranges = vec![(0, bundle.span.len)];
    let payload = Payload::Bundle { addr: bundle.span.addr, ranges };
    sink.push(clock, bundle.run(events_of(FIELD), vec![ns], payload));
}

fn decode(event: &RunEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let frame = LastFields::<10>::new(event.message());
    let display_id = frame.uint(video_frame::DISPLAY_ID) as u32;
    let Streams(streams) = trackers.source.states.get();
    let stream = streams.entry(display_id).or_default();
    let stated = (
        text(&frame, video_frame::DISPLAY_NAME, tables),
        text(&frame, video_frame::CODEC_STRING, tables),
    );
    *stream = (stated.0.or(stream.0), stated.1.or(stream.1));
    let is_frame = frame.has(video_frame::AU_DATA);
    let picture = if is_frame { video_frame::AU_DATA } else { video_frame::CODEC_CONFIG };
    if frame.bytes(picture).is_empty() {
        return;
    }
    let pts = frame.get(video_frame::PTS_US).filter(|_| is_frame);
    let row = VideoFrameRow {
        ts: event.ts,
        display_id: display_id as i32,
        display_name: stream.0,
        codec_string: stream.1,
        frame_number: frame.int(video_frame::FRAME_NUMBER),
        codec: Some(frame.int(video_frame::CODEC) as i32),
        is_key_frame: is_frame.then(|| i32::from(frame.uint(video_frame::IS_KEY_FRAME) != 0)),
        pts_us: pts.map(|pts| pts.as_i64()),
        is_config: (!is_frame).then_some(1),
    };
    tables.video_frames.push(row);
}

/// Counts why a video ends early or did not begin, and logs which display it is of.
fn error(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let error = LastFields::<3>::new(packet.data);
    let stat = match error.uint(video_frame_error::REASON) {
        1 => Stat::AndroidVideoSizeCapHit,
        2 => Stat::AndroidVideoCodecError,
        3 => Stat::AndroidVideoDisplayGone,
        4 => Stat::AndroidVideoNoEncoder,
        5 => Stat::AndroidVideoDisplayNotFound,
        6 => Stat::AndroidVideoEncoderSetupFailed,
        7 => Stat::AndroidVideoVirtualDisplayFailed,
        _ => return,
    };
    stats.increment(stat);
    let display = error.uint(video_frame_error::DISPLAY_ID) as u32;
    let display = ("display_id", ArgValue::Uint(u64::from(display)));
    let details = ArgSet::of([display], &mut tables.strings);
    trackers.log(stat, Some(packet.ts()), &details, tables);
}
