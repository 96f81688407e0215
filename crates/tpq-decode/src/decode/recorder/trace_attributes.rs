//! Facts that programs attach to a recording, as keys and values.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::TraceAttributes;
use tpq_proto::message::trace_attributes::Attribute;
use tpq_proto::message::trace_attributes::attribute::Value;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Metadata, MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::TRACE_ATTRIBUTES,
    route: Route::Immediate,
    decode: decode_attributes,
};

fn decode_attributes(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(attributes) = decode::<TraceAttributes>(packet.data) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    for attribute in &attributes.attribute {
        note(attribute, &mut trackers.metadata, tables);
    }
}

/// Writes an attribute. Of several with one key the last counts.
pub(super) fn note(attribute: &Attribute, metadata: &mut Metadata, tables: &mut Tables) {
    let name = format!("trace_attribute.{}", attribute.key());
    let value = match &attribute.value {
        Some(Value::LongValue(value)) => MetadataValue::Int(*value),
        Some(Value::StringValue(text)) => MetadataValue::Text(tables.strings.intern(text)),
        None => return,
    };
    metadata.set(&name, value, tables);
}
