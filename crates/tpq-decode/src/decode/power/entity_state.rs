//! How long parts of a device were in each of their power states.

use tpq_ingest::{Bundle, Route, SplitSink};
use tpq_proto::fields::{
    entity_state_residency::{self, power_entity_state, state_residency},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, push_whole};
use crate::event::RunEvent;
use tpq_trackers::track::{Dimensions, EntityState, TrackKind, Trackers};

const FIELD: u32 = trace_packet::ENTITY_STATE_RESIDENCY;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: decode_descriptors };

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_residency };

const COUNTER: TrackKind = TrackKind::counter("entity_state", None);

/// States are described before anything was measured, sometimes at no stated time.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let packet = LastFields::<3>::new(bundle.payload);
    if packet.has(entity_state_residency::POWER_ENTITY_STATE) {
        sink.immediate(bundle.header(None));
    }
    if packet.has(entity_state_residency::RESIDENCY)
        || !packet.has(entity_state_residency::POWER_ENTITY_STATE)
    {
        push_whole(&bundle, sink);
    }
}

fn decode_descriptors(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for state in Fields::new(packet.data)
        .filter(|field| field.number == entity_state_residency::POWER_ENTITY_STATE)
    {
        let state = LastFields::<5>::new(state.as_bytes());
        let (Some(entity), Some(index)) = (
            state.get(power_entity_state::ENTITY_INDEX),
            state.get(power_entity_state::STATE_INDEX),
        ) else {
            stats.increment(Stat::EntityStateDescriptorInvalid);
            continue;
        };
        let name = crate::decode::text(&state, power_entity_state::ENTITY_NAME, tables);
        let state = crate::decode::text(&state, power_entity_state::STATE_NAME, tables);
        let counter = format!(
            "Entity residency: {} is {}",
            tables.strings.get(name),
            tables.strings.get(state)
        );
        let counter = tables.strings.intern(&counter);
        let described = EntityState { entity: name, state, counter };
        trackers.source.power.add_state((entity.as_i32(), index.as_i32()), described);
    }
}

fn decode_residency(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if !LastFields::<3>::new(event.message()).has(entity_state_residency::RESIDENCY) {
        stats.increment(Stat::EntityStateResidencyInvalid);
        return;
    }
    for residency in Fields::new(event.message())
        .filter(|field| field.number == entity_state_residency::RESIDENCY)
    {
        let residency = LastFields::<4>::new(residency.as_bytes());
        let key = (
            residency.int(state_residency::ENTITY_INDEX) as i32,
            residency.int(state_residency::STATE_INDEX) as i32,
        );
        let Some(EntityState { entity, state, counter }) = trackers.source.power.state(key) else {
            stats.increment(Stat::EntityStateResidencyLookupFailed);
            continue;
        };
        let dimensions = Dimensions::machine(event.machine)
            .text("entity_name", entity)
            .text("state_name", state);
        let sample = (event.ts, residency.uint(state_residency::TOTAL_TIME_IN_STATE_MS) as f64);
        trackers.count(sample, COUNTER, dimensions, counter, tables);
    }
}
