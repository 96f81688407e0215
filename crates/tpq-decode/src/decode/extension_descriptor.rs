//! Descriptors that a recording carries, of messages that only its programs know.

use std::borrow::Cow;
use std::io::Read;

use tpq_ingest::Route;
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::Trackers;

/// Events are decoded after they were sorted, so what is read at once holds for all events of its
/// file but those that a flush before it let pass.
pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 72, route: Route::Immediate, decode };

/// Descriptors are some hundred kilobytes; what inflates to more than this are none.
const MAX_INFLATED: u64 = 64 << 20;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let descriptor = LastFields::<3>::new(packet.data);
    let set = match (descriptor.get(1), descriptor.get(2)) {
        (Some(set), _) => Some(Cow::Borrowed(set.as_bytes())),
        (None, Some(gzip)) => inflate(gzip.as_bytes()).map(Cow::Owned),
        (None, None) => return,
    };
    let described = set.map(|set| {
        trackers.ledger.describe_messages(&set);
        trackers.messages.describe(&set)
    });
    if described.is_none_or(|described| described.is_err()) {
        stats.increment(Stat::MalformedPackets);
    }
}

fn inflate(gzip: &[u8]) -> Option<Vec<u8>> {
    let mut set = Vec::new();
    let mut inflating = flate2::read::GzDecoder::new(gzip).take(MAX_INFLATED);
    let len = inflating.read_to_end(&mut set).ok()?;
    ((len as u64) < MAX_INFLATED).then_some(set)
}
