//! The view that the sender of a trace saved in it.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::UI_STATE, route: Route::Immediate, decode };

/// Kept as it is, for programs that show traces.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    trackers.metadata.set_text("ui_state", &BASE64_STANDARD.encode(packet.data), tables);
}
