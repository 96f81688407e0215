//! Videos of displays: what is known of each frame, without the pictures.

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::fields::{trace_packet, video_frame, video_frame_error};
use tpq_proto::wire::LastFields;
use tpq_tables::table::VideoFrameRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder, text};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::VIDEO_FRAME, route: Route::Sorted, decode };

pub(crate) const ERROR: PacketDecoder =
    PacketDecoder { field: trace_packet::VIDEO_FRAME_ERROR, route: Route::Sorted, decode: error };

/// The names of each display and its codec, which few packets state.
#[derive(Default)]
struct Streams(FxHashMap<u32, (StringId, StringId)>);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let frame = LastFields::<10>::new(packet.data);
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
        ts: packet.ts(),
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

/// Counts why a video ends early or did not begin.
fn error(packet: &Packet<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let stat = match LastFields::<3>::new(packet.data).uint(video_frame_error::REASON) {
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
}
