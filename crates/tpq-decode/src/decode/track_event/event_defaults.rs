//! The defaults that the writer of a sequence sets for its track events.

use std::sync::Arc;

use tpq_proto::fields::{trace_packet_defaults, track_event_defaults};
use tpq_proto::wire::{Fields, repeated};
use tpq_trackers::track::{EventDefaults, Trackers};

use crate::decode::Packet;

/// The defaults in force for a packet's sequence.
pub(super) fn defaults<'a>(
    packet: &Packet<'_>,
    trackers: &'a mut Trackers,
) -> &'a Arc<EventDefaults> {
    let known = &mut trackers.source.uuids.defaults;
    known.entry(packet.generation).or_insert_with(|| Arc::new(read(packet)))
}

fn read(packet: &Packet<'_>) -> EventDefaults {
    let mut defaults = EventDefaults::default();
    for field in Fields::new(packet.interned.defaults(packet.generation)) {
        if field.number != trace_packet_defaults::TRACK_EVENT_DEFAULTS {
            continue;
        }
        for field in Fields::new(field.as_bytes()) {
            match field.number {
                track_event_defaults::TRACK_UUID => defaults.track = Some(field.as_u64()),
                track_event_defaults::EXTRA_COUNTER_TRACK_UUIDS => {
                    defaults.counters.extend(repeated(&field))
                }
                track_event_defaults::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS => {
                    defaults.double_counters.extend(repeated(&field))
                }
                _ => {}
            }
        }
    }
    defaults
}
