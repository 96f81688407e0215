//! The configuration the trace was recorded with.

use tpq_ingest::Route;
use tpq_proto::message::TraceConfig;
use tpq_proto::{decode, text};
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::Trackers;

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
    let name = config.unique_session_name();
    trackers.metadata.set_text("unique_session_name", name, tables);
    if config.write_into_file() && config.flush_period_ms() == 0 {
        stats.increment(tpq_tables::Stat::ConfigWriteIntoFileNoFlush);
    }
}
