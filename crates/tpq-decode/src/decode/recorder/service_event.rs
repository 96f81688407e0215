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
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::SERVICE_EVENT, route: Route::Immediate, decode };

/// Buffers of one session: more than the recorder allows.
const MOST_BUFFERS: u32 = 256;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    for field in Fields::new(packet.data) {
        match field.number {
            tracing_service_event::LAST_FLUSH_SLOW_DATA_SOURCES => {
                trackers.file.recording.unflushed = data_sources(field.as_bytes());
            }
            tracing_service_event::SLOW_STARTING_DATA_SOURCES => {
                for (producer, source) in data_sources(field.as_bytes()) {
                    let source = tables.strings.intern(&format!("{producer} {source}"));
                    let source = MetadataValue::Text(source);
                    trackers.metadata.add("slow_start_data_source", source, tables);
                }
            }
            _ => {}
        }
    }
    let Some(ts) = packet.timestamp else { return };
    let at = MetadataValue::Int(ts);
    for field in Fields::new(packet.data) {
        match field.number {
            // The first buffer has number 0.
            tracing_service_event::BUFFER_CLONED if field.as_u64() < u64::from(MOST_BUFFERS) => {
                let buffer = i64::from(field.as_u32());
                stats.set_indexed(Stat::TracedBufCloneDoneTimestampNs, buffer, ts);
            }
            _ if !field.as_bool() => {}
            tracing_service_event::CLONE_STARTED => {
                stats.set(Stat::TracedCloneStartedTimestampNs, ts);
            }
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
