//! Events of the recorder.

use tpq_ingest::Route;
use tpq_proto::fields::{
    trace_packet,
    tracing_service_event::{
        self,
        data_sources::{self, data_source},
    },
};
use tpq_proto::wire::Fields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::SERVICE_EVENT, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    for field in Fields::new(packet.data)
        .filter(|field| field.number == tracing_service_event::LAST_FLUSH_SLOW_DATA_SOURCES)
    {
        trackers.file.recording.unflushed = data_sources(field.as_bytes());
    }
    let Some(ts) = packet.timestamp else { return };
    let at = MetadataValue::Int(ts);
    for field in Fields::new(packet.data).filter(|field| field.as_bool()) {
        match field.number {
            tracing_service_event::ALL_DATA_SOURCES_STARTED => {
                trackers.metadata.set("all_data_source_started_ns", at, tables)
            }
            tracing_service_event::TRACING_STARTED => {
                trackers.metadata.set("tracing_started_ns", at, tables);
                trackers.file.ftrace.set_tracing_started(ts);
                trackers.file.recording.started = Some(ts);
            }
            tracing_service_event::ALL_DATA_SOURCES_FLUSHED => {
                trackers.metadata.add("all_data_source_flushed_ns", at, tables)
            }
            tracing_service_event::TRACING_DISABLED => {
                trackers.metadata.set("tracing_disabled_ns", at, tables);
                trackers.file.recording.stopped = Some(ts);
            }
            _ => {}
        }
    }
}

/// Pairs of a producer and its data source.
fn data_sources(list: &[u8]) -> Vec<(String, String)> {
    let text = |source: &[u8], number: u32| {
        let field = Fields::new(source).find(|field| field.number == number);
        field.map(|field| String::from_utf8_lossy(field.as_bytes()).into_owned())
    };
    let sources = Fields::new(list).filter(|field| field.number == data_sources::DATA_SOURCE);
    let pair = |source: &[u8]| {
        (
            text(source, data_source::PRODUCER_NAME).unwrap_or_default(),
            text(source, data_source::DATA_SOURCE_NAME).unwrap_or_default(),
        )
    };
    sources.map(|source| pair(source.as_bytes())).collect()
}
