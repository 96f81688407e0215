//! What the recorder did, and when.

use tpq_ingest::Route;
use tpq_proto::wire::Fields;
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 69, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    // That it happened says nothing without when.
    if !packet.dated {
        return;
    }
    let at = MetadataValue::Int(packet.ts);
    for field in Fields::new(packet.data).filter(|field| field.as_bool()) {
        match field.number {
            1 => trackers.metadata.set("all_data_source_started_ns", at, tables),
            2 => {
                trackers.metadata.set("tracing_started_ns", at, tables);
                trackers.ftrace.set_tracing_started(packet.ts);
            }
            3 => trackers.metadata.add("all_data_source_flushed_ns", at, tables),
            5 => trackers.metadata.set("tracing_disabled_ns", at, tables),
            _ => {}
        }
    }
}
