//! Triggers: why a recording was started, kept or stopped.

use tpq_ingest::Route;
use tpq_proto::fields::{chrome_trigger, trace_packet, trigger};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{
    Dimensions, FlowEnd, FlowId, MetadataValue, NewSlice, TrackKind, Trackers,
};

pub(crate) const TRIGGER: PacketDecoder =
    PacketDecoder { field: trace_packet::TRIGGER, route: Route::Sorted, decode: decode_trigger };
pub(crate) const CLONE: PacketDecoder = PacketDecoder {
    field: trace_packet::CLONE_SNAPSHOT_TRIGGER,
    route: Route::Sorted,
    decode: decode_clone,
};
pub(crate) const CHROME: PacketDecoder = PacketDecoder {
    field: trace_packet::CHROME_TRIGGER,
    route: Route::Sorted,
    decode: decode_chrome,
};

const TRACK: TrackKind = TrackKind::slices("triggers");
/// The fact that names the trigger a recording is kept for.
const FACT: &str = "trace_trigger";

fn decode_trigger(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = add_trigger(packet, trackers, tables, stats);
    if !trackers.metadata.has(FACT, tables) {
        trackers.metadata.set(FACT, name, tables);
    }
}

/// The trigger for which a copy of the recording was taken counts before those that only happened.
fn decode_clone(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = add_trigger(packet, trackers, tables, stats);
    if stats.get(Stat::TracedCloneTriggerTimestampNs) == 0 {
        trackers.metadata.set(FACT, name, tables);
        stats.set(Stat::TracedCloneTriggerTimestampNs, packet.ts());
    }
}

fn add_trigger(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> MetadataValue {
    let trigger = LastFields::<4>::new(packet.data);
    let mut args = ArgSet::default();
    if trigger.has(trigger::PRODUCER_NAME) {
        let producer =
            ArgValue::String(crate::decode::text(&trigger, trigger::PRODUCER_NAME, tables));
        args.add(tables.strings.intern("producer_name"), producer);
    }
    if let Some(uid) = trigger.get(trigger::TRUSTED_PRODUCER_UID) {
        let uid = ArgValue::Int(i64::from(uid.as_i32()));
        args.add(tables.strings.intern("trusted_producer_uid"), uid);
    }
    let name = crate::decode::text(&trigger, trigger::TRIGGER_NAME, tables);
    let track = track(packet, trackers, tables);
    let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
    trackers.complete(slice, 0, &args, tables, stats);
    MetadataValue::Text(name)
}

fn track(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let name = tables.strings.intern("Trace Triggers");
    let machine = Dimensions::machine(packet.machine);
    trackers.source.tracks.get(TRACK, machine, name, &mut trackers.deferred, tables)
}

/// A trigger of Chrome has a hash, and its name only where that is no secret.
fn decode_chrome(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let trigger = LastFields::<4>::new(packet.data);
    let mut args = ArgSet::default();
    let hash = trigger.uint(chrome_trigger::TRIGGER_NAME_HASH);
    args.add(tables.strings.intern("chrome_trigger.name_hash"), ArgValue::Uint(hash));
    let name = match trigger.has(chrome_trigger::TRIGGER_NAME) {
        true => crate::decode::text(&trigger, chrome_trigger::TRIGGER_NAME, tables),
        false => tables.strings.intern("chrome_trigger"),
    };
    if trigger.has(chrome_trigger::TRIGGER_NAME) {
        args.add(tables.strings.intern("chrome_trigger.name"), ArgValue::String(name));
    }
    trackers.translate_args(&mut args, tables);
    let track = track(packet, trackers, tables);
    let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
    let slice = trackers.complete(slice, 0, &args, tables, stats);
    if let (Some(slice), Some(flow)) = (slice, trigger.get(chrome_trigger::FLOW_ID)) {
        let flow = FlowId::Number(flow.as_u64());
        if trackers.file.flows.is_active(flow) {
            trackers.end_flow(flow, slice, FlowEnd::Last, tables, stats);
        }
    }
    let hash = MetadataValue::Int(hash as i64);
    trackers.metadata.set("cr-triggered_rule_name_hash", hash, tables);
}
