//! Descriptors that a recording carries, of messages that only its programs know.

use std::borrow::Cow;
use std::io::Read;

use tpq_ingest::Route;
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, Tables};

use super::message_args::Unreadable;
use super::{Packet, PacketDecoder};
use crate::track::{MessagePaths, Trackers};

/// Events are decoded after they were sorted, so what is read at once holds for all events of its
/// file but those that a flush before it let pass; and for annotations of slices that end later.
pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 72, route: Route::Immediate, decode };

/// Descriptors are some hundred kilobytes; what inflates to more than this are none.
const MAX_INFLATED: u64 = 64 << 20;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let described = describe(packet.data, &mut trackers.messages);
    trackers.deferred.describe_messages(packet.span);
    if described.is_err() {
        stats.increment(Stat::MalformedPackets);
    }
}

/// Adds what a packet describes.
pub(crate) fn describe(packet: &[u8], messages: &mut MessagePaths) -> Result<(), Unreadable> {
    let descriptor = LastFields::<3>::new(packet);
    let set = match (descriptor.get(1), descriptor.get(2)) {
        (Some(set), _) => Cow::Borrowed(set.as_bytes()),
        (None, Some(gzip)) => Cow::Owned(inflate(gzip.as_bytes()).ok_or(Unreadable)?),
        (None, None) => return Ok(()),
    };
    messages.describe(&set).map_err(|_| Unreadable)
}

fn inflate(gzip: &[u8]) -> Option<Vec<u8>> {
    let mut set = Vec::new();
    let mut inflating = flate2::read::GzDecoder::new(gzip).take(MAX_INFLATED);
    let len = inflating.read_to_end(&mut set).ok()?;
    ((len as u64) < MAX_INFLATED).then_some(set)
}
