//! Counters of the system as a whole, polled from /proc and /sys. No table holds them yet; the
//! times at which they were read belong to the trace all the same.

use tpq_ingest::Route;
use tpq_proto::wire::Fields;
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::Trackers;

pub(crate) const PACKET: PacketDecoder = PacketDecoder { field: 7, route: Route::Sorted, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    if Fields::new(packet.data).next().is_some() {
        trackers.bounds.include(packet.ts);
    }
}
