//! Descriptors that a recording carries, of messages that only its programs know.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::describe_extensions;
use tpq_trackers::track::Trackers;

/// Events are decoded after they were sorted, so what is read at once holds for all events of its
/// file but those that a flush before it let pass; and for annotations of slices that end later.
pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::EXTENSION_DESCRIPTOR, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let described = describe_extensions(packet.data, &mut trackers.file.messages);
    trackers.deferred.describe_messages(packet.span);
    if described.is_err() {
        stats.increment(Stat::MalformedPackets);
    }
}
