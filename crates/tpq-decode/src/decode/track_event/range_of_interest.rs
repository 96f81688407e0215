//! From when on track events are of interest, as the recording says.

use tpq_ingest::Route;
use tpq_proto::fields::{trace_packet, track_event_range_of_interest};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{MetadataValue, Trackers};

/// It is known before any event.
pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::TRACK_EVENT_RANGE_OF_INTEREST,
    route: Route::Immediate,
    decode,
};

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let Some(start) =
        LastFields::<2>::new(packet.data).get(track_event_range_of_interest::START_US)
    else {
        let stat = Stat::TrackEventRangeOfInterestMissingStartUs;
        stats.increment(stat);
        return trackers.log(stat, None, &ArgSet::default(), tables);
    };
    let start = start.as_i64();
    trackers.file.interest.begin(start.saturating_mul(1000));
    let value = MetadataValue::Int(start);
    trackers.metadata.set("range_of_interest_start_us", value, tables);
}
