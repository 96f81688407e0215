//! Free-form facts that were attached to a recording.

use tpq_ingest::Route;
use tpq_proto::fields::{
    trace_attributes::{self, attribute},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::TRACE_ATTRIBUTES, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    for field in
        Fields::new(packet.data).filter(|field| field.number == trace_attributes::ATTRIBUTE)
    {
        let attribute = LastFields::<4>::new(field.as_bytes());
        let key = String::from_utf8_lossy(attribute.bytes(attribute::KEY));
        let number = attribute.get(attribute::LONG_VALUE);
        let text = attribute.get(attribute::STRING_VALUE);
        let value = match (number, text) {
            (Some(number), _) => MetadataValue::Int(number.as_i64()),
            (_, Some(text)) => MetadataValue::Text(tables.strings.intern_bytes(text.as_bytes())),
            _ => continue,
        };
        trackers.metadata.set(&format!("trace_attribute.{key}"), value, tables);
    }
}
