//! The trace's unique id.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::TraceUuid;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::TRACE_UUID, route: Route::Immediate, decode: decode_uuid };

fn decode_uuid(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let Ok(uuid) = decode::<TraceUuid>(packet.data) else { return };
    let (msb, lsb) = (uuid.msb() as u64, uuid.lsb() as u64);
    let text = format_uuid(msb, lsb);
    trackers.metadata.set_text("trace_uuid", &text, tables);
}

/// Bytes of a file that identify it.
const IDENTIFYING_BYTES: usize = 4096;

/// The id of a trace without one from its recorder: a hash (FNV-1a) of how its file begins.
pub(crate) fn uuid_of(file: &[u8]) -> String {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let beginning = file.iter().take(IDENTIFYING_BYTES);
    let hash = beginning.fold(BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    format_uuid(0, hash)
}

/// A UUID as text, from its halves.
pub(in crate::decode) fn format_uuid(msb: u64, lsb: u64) -> String {
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        msb >> 32,
        msb >> 16 & 0xffff,
        msb & 0xffff,
        lsb >> 48,
        lsb & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_how_it_begins() {
        // The hashes of nothing and of "a" as the algorithm's authors give them.
        assert_eq!(uuid_of(b""), "00000000-0000-0000-cbf2-9ce484222325");
        assert_eq!(uuid_of(b"a"), "00000000-0000-0000-af63-dc4c8601ec8c");
        let mut long = vec![0; 5_000];
        let begins_alike = uuid_of(&long);
        long[4_999] = 1;
        assert_eq!(uuid_of(&long), begins_alike);
        long[4_095] = 1;
        assert_ne!(uuid_of(&long), begins_alike);
    }
}
