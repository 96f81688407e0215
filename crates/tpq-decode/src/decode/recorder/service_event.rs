//! What the recorder did, and when.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_proto::wire::Fields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::SERVICE_EVENT, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    for field in Fields::new(packet.data).filter(|field| field.number == 8) {
        trackers.file.recording.unflushed = data_sources(field.as_bytes());
    }
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
                trackers.file.ftrace.set_tracing_started(packet.ts);
                trackers.file.recording.started = Some(packet.ts);
            }
            3 => trackers.metadata.add("all_data_source_flushed_ns", at, tables),
            5 => {
                trackers.metadata.set("tracing_disabled_ns", at, tables);
                trackers.file.recording.stopped = Some(packet.ts);
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
    let sources = Fields::new(list).filter(|field| field.number == 1);
    let pair =
        |source: &[u8]| (text(source, 1).unwrap_or_default(), text(source, 2).unwrap_or_default());
    sources.map(|source| pair(source.as_bytes())).collect()
}
