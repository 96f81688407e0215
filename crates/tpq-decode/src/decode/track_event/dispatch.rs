//! One track event, from its packet to a slice, a counter value or a state.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::Trackers;

use super::ahead::Ahead;
use super::context::DecodeContext;
use super::counters::Counted;
use super::event::{TrackEvent, Type};
use super::owner::EventOwner;
use super::{counters, flows, legacy_events, names, slices, state};
use crate::decode::{Packet, PacketDecoder};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::TRACK_EVENT, route: Route::Sorted, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut context = DecodeContext { packet, trackers, tables, stats };
    let mut event = TrackEvent::default();
    match packet.ahead {
        Some(Ahead::Event(ahead)) => ahead.fill(&mut event, packet.data),
        _ => event.read(packet.data),
    }
    let defaults = packet.interned.event_defaults(packet.generation);
    let default_track = defaults.and_then(|defaults| defaults.track);
    let mut counted = Counted::default();
    if counted.count(&event, default_track, &mut context).is_none() {
        return;
    }
    if context.trackers.file.interest.drops(packet.ts()) {
        context.stats.increment(Stat::TrackEventDroppedPacketsOutsideOfRangeOfInterest);
        return;
    }
    if event.event_type.unwrap_or_default() == Type::Unspecified && event.phase().is_none() {
        return context.count_error();
    }
    event.category = names::category(&event, &mut context);
    event.name = names::name(&event, &mut context);
    if import(&event, default_track, &counted, &mut context).is_none() {
        context.count_error();
    }
}

/// Writes an event to its tables; `None` if it is invalid.
fn import(
    event: &TrackEvent<'_>,
    default_track: Option<u64>,
    counted: &Counted,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    let mut owner = EventOwner::find(event, default_track, context)?;
    let thread = counted.write(&owner, context);
    match event.event_type {
        Some(Type::Counter) => return counters::write_value(event, &owner, counted, context),
        Some(Type::State) => return state::enter(event, &owner, context),
        _ => {}
    }
    match phase(event, &owner) {
        b'B' => slices::begin(event, &mut owner, thread, context),
        b'E' => slices::end(event, &mut owner, thread, context),
        b'X' => slices::complete(event, &mut owner, thread, context),
        phase @ (b's' | b't' | b'f') => flows::legacy(phase, event, &mut owner, context),
        b'i' | b'I' | b'R' | b'n' | b'T' | b'p' => {
            slices::instant(event, &mut owner, thread, context)
        }
        b'b' | b'S' => slices::begin_async(event, &mut owner, context),
        b'e' | b'F' => slices::end_async(event, &mut owner, context),
        b'M' => legacy_events::metadata(event, &owner, thread, context),
        _ => legacy_events::raw(event, &owner, thread, context),
    }
}

/// The phase of an event in the letters of the older form; 0 for something else.
fn phase(event: &TrackEvent<'_>, owner: &EventOwner) -> u8 {
    if let Some(phase) = event.phase() {
        return phase.letter();
    }
    match (event.event_type, owner.utid.is_some()) {
        (Some(Type::Begin), true) => b'B',
        (Some(Type::Begin), false) => b'b',
        (Some(Type::End), true) => b'E',
        (Some(Type::End), false) => b'e',
        (Some(Type::Instant), true) => b'i',
        (Some(Type::Instant), false) => b'n',
        _ => 0,
    }
}
