//! The configuration the trace was recorded with.

use tpq_ingest::Route;
use tpq_proto::message::TraceConfig;
use tpq_proto::message::trace_config::buffer_config::FillPolicy;
use tpq_proto::{decode, text};
use tpq_tables::{Stat, Stats, Tables};

use super::trace_uuid::format_uuid;
use super::{Packet, PacketDecoder};
use crate::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 33, route: Route::Immediate, decode: decode_config };

fn decode_config(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let config = text::print::<TraceConfig>(packet.data);
    trackers.metadata.set_text("trace_config_pbtxt", &config, tables);
    let Ok(config) = decode::<TraceConfig>(packet.data) else { return };
    // Recorders that write no packet of its own for the id state it here.
    if let (Some(msb), Some(lsb)) = (config.trace_uuid_msb, config.trace_uuid_lsb) {
        let uuid = format_uuid(msb as u64, lsb as u64);
        trackers.metadata.set_text("trace_uuid", &uuid, tables);
    }
    let name = config.unique_session_name();
    trackers.metadata.set_text("unique_session_name", name, tables);
    let statsd = config.statsd_metadata.as_ref();
    if let Some(subscription) = statsd.and_then(|statsd| statsd.triggering_subscription_id) {
        let subscription = MetadataValue::Int(subscription);
        trackers.metadata.set("statsd_triggering_subscription_id", subscription, tables);
    }
    if config.write_into_file() {
        // A buffer that is drained into a file does not fill up while it is drained in time, so
        // one that discards loses data where a ring would lose none.
        for (index, buffer) in config.buffers.iter().enumerate() {
            if buffer.fill_policy() == FillPolicy::Discard {
                stats.set_indexed(Stat::ConfigWriteIntoFileDiscard, index as i64, 1);
            }
        }
    }
}
