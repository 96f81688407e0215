//! Energy that parts of a device took, as Android estimates it, and for which users.

use tpq_ingest::{Bundle, Route, SplitSink};
use tpq_proto::fields::{
    android_energy_consumer, android_energy_consumer_descriptor,
    android_energy_estimation_breakdown::{self, energy_uid_breakdown},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, push_whole};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Consumer, Dimensions, TrackKind, Trackers};

const FIELD: u32 = trace_packet::ANDROID_ENERGY_ESTIMATION_BREAKDOWN;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: decode_descriptors };

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_breakdown };

const OF_CONSUMER: TrackKind = TrackKind::counter("android_energy_estimation_breakdown", None);
const OF_USER: TrackKind = TrackKind::counter("android_energy_estimation_breakdown_per_uid", None);

/// Packets without time and energy describe the consumers.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    match LastFields::<2>::new(bundle.payload)
        .has(android_energy_estimation_breakdown::ENERGY_CONSUMER_DESCRIPTOR)
    {
        true => sink.immediate(bundle.header(None)),
        false => push_whole(&bundle, sink),
    }
}

fn decode_descriptors(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(descriptor) = LastFields::<2>::new(packet.data)
        .get(android_energy_estimation_breakdown::ENERGY_CONSUMER_DESCRIPTOR)
    else {
        return;
    };
    for consumer in Fields::new(descriptor.as_bytes())
        .filter(|field| field.number == android_energy_consumer_descriptor::ENERGY_CONSUMERS)
    {
        let consumer = LastFields::<5>::new(consumer.as_bytes());
        let Some(id) = consumer.get(android_energy_consumer::ENERGY_CONSUMER_ID) else {
            stats.increment(Stat::EnergyDescriptorInvalid);
            continue;
        };
        let described = Consumer {
            name: crate::decode::text(&consumer, android_energy_consumer::NAME, tables),
            kind: crate::decode::text(&consumer, android_energy_consumer::TYPE, tables),
            ordinal: i64::from(consumer.int(android_energy_consumer::ORDINAL) as i32),
        };
        trackers.source.power.add_consumer(id.as_i32(), described);
    }
}

fn decode_breakdown(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let breakdown = LastFields::<4>::new(event.message());
    let consumer =
        breakdown.get(android_energy_estimation_breakdown::ENERGY_CONSUMER_ID).and_then(|id| {
            let id = id.as_i32();
            Some((id, trackers.source.power.consumer(id)?))
        });
    let (Some((id, consumer)), Some(energy)) =
        (consumer, breakdown.get(android_energy_estimation_breakdown::ENERGY_UWS))
    else {
        stats.increment(Stat::EnergyBreakdownMissingValues);
        return;
    };
    let of = Dimensions::machine(event.machine).number("energy_consumer_id", i64::from(id));
    let track =
        trackers.source.tracks.get(OF_CONSUMER, of, consumer.name, &mut trackers.deferred, tables);
    if tables.track.source_arg_set_id.get(track).is_none() {
        let mut source = ArgSet::default();
        let kind = ArgValue::String(consumer.kind);
        source.add(tables.strings.intern("consumer_type"), kind);
        source.add(tables.strings.intern("ordinal"), ArgValue::Int(consumer.ordinal));
        let source = trackers.deferred.intern(&source);
        tables.track.source_arg_set_id.set(track, source);
    }
    let sample = (event.ts, energy.as_i64() as f64);
    trackers.count(sample, OF_CONSUMER, of, consumer.name, tables);
    for user in Fields::new(event.message())
        .filter(|field| field.number == android_energy_estimation_breakdown::PER_UID_BREAKDOWN)
    {
        let user = LastFields::<3>::new(user.as_bytes());
        let (Some(uid), Some(energy)) =
            (user.get(energy_uid_breakdown::UID), user.get(energy_uid_breakdown::ENERGY_UWS))
        else {
            stats.increment(Stat::EnergyUidBreakdownMissingValues);
            continue;
        };
        let of = of.number("uid", i64::from(uid.as_u32()));
        let sample = (event.ts, energy.as_i64() as f64);
        trackers.count(sample, OF_USER, of, consumer.name, tables);
    }
}
