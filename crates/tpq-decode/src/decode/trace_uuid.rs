//! The trace's unique id.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::message::TraceUuid;
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 89, route: Route::Immediate, decode: decode_uuid };

fn decode_uuid(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let Ok(uuid) = decode::<TraceUuid>(packet.data) else { return };
    let (msb, lsb) = (uuid.msb() as u64, uuid.lsb() as u64);
    let text = format_uuid(msb, lsb);
    trackers.metadata.set_text("trace_uuid", &text, tables);
}

/// A UUID as text, from its halves.
pub(super) fn format_uuid(msb: u64, lsb: u64) -> String {
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        msb >> 32,
        msb >> 16 & 0xffff,
        msb & 0xffff,
        lsb >> 48,
        lsb & 0xffff_ffff_ffff
    )
}
