//! Counters of GPUs.

mod descriptor;
mod unit;

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::{
    gpu_counter_event::{self, gpu_counter},
    interned_data, trace_packet,
};
use tpq_proto::message::{GpuCounterDescriptor, InternedGpuCounterDescriptor};
use tpq_proto::wire::{Fields, Value};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{GpuCounter, Trackers, push_counter};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::GPU_COUNTER_EVENT,
    route: Route::Sorted,
    decode: decode_event,
};

fn decode_event(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (mut descriptor, mut gpu, mut iid) = (None, 0, None);
    for field in Fields::new(packet.data) {
        match field.number {
            gpu_counter_event::COUNTER_DESCRIPTOR => descriptor = Some(field.as_bytes()),
            gpu_counter_event::GPU_ID => gpu = field.as_u32(),
            gpu_counter_event::COUNTER_DESCRIPTOR_IID => iid = Some(field.as_u64()),
            _ => {}
        }
    }
    if let Some(iid) = iid {
        if let Some(counters) = interned_counters(packet, iid, trackers, tables, stats) {
            for (id, value) in values(packet.data) {
                match counters.get(&id) {
                    Some(&counter) => count(packet.ts(), counter, value, trackers, tables),
                    None => stats.increment(Stat::GpuCountersInvalidSpec),
                }
            }
            trackers.source.gpu_counters.interned.insert(scope(packet, iid), Some(counters));
        }
        return;
    }
    if let Some(bytes) = descriptor {
        match decode::<GpuCounterDescriptor>(bytes) {
            Ok(found) => {
                descriptor::add_inline(packet.machine, gpu, &found, trackers, tables, stats);
            }
            Err(_) => stats.increment(Stat::GpuCountersInvalidSpec),
        }
    }
    for (id, value) in values(packet.data) {
        if let Some(&counter) = trackers.source.gpu_counters.inline.get(&id) {
            count(packet.ts(), counter, value, trackers, tables);
        }
    }
}

/// Where an interned description is remembered: ids mean something among what is interned
/// together.
fn scope(packet: &Packet<'_>, iid: u64) -> (u32, u64) {
    let generation = packet.interned.generation(packet.generation);
    (generation.map_or(0, |generation| generation.interned), iid)
}

/// The counters of an interned description, which are made when it is first used. They are taken
/// out of the tracker and must be put back.
fn interned_counters(
    packet: &Packet<'_>,
    iid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<FxHashMap<u32, GpuCounter>> {
    match trackers.source.gpu_counters.interned.get_mut(&scope(packet, iid)) {
        Some(Some(counters)) => return Some(std::mem::take(counters)),
        Some(None) => {
            stats.increment(Stat::GpuCountersInvalidSpec);
            return None;
        }
        None => {}
    }
    let message =
        packet.interned.message(packet.generation, interned_data::GPU_COUNTER_DESCRIPTORS, iid);
    let interned = message.and_then(|message| decode::<InternedGpuCounterDescriptor>(message).ok());
    let Some((gpu, Some(descriptor))) =
        interned.map(|interned| (interned.gpu_id() as u32, interned.counter_descriptor))
    else {
        stats.increment(Stat::GpuCountersInvalidSpec);
        // A present but unreadable value is not read again for each value.
        if message.is_some() {
            trackers.source.gpu_counters.interned.insert(scope(packet, iid), None);
        }
        return None;
    };
    Some(descriptor::counters(packet.machine, gpu, &descriptor, trackers, tables))
}

/// The counters an event has values of.
fn values(event: &[u8]) -> impl Iterator<Item = (u32, f64)> {
    let counters = Fields::new(event).filter(|field| field.number == gpu_counter_event::COUNTERS);
    counters.filter_map(|counter| {
        let (mut id, mut value) = (None, None);
        for field in Fields::new(counter.as_bytes()) {
            match (field.number, field.value) {
                (gpu_counter::COUNTER_ID, _) => id = Some(field.as_u32()),
                (gpu_counter::INT_VALUE, Value::Varint(int)) => value = Some(int as i64 as f64),
                (gpu_counter::DOUBLE_VALUE, _) => value = Some(field.as_f64()),
                _ => {}
            }
        }
        Some((id?, value?))
    })
}

/// Writes a value. Most counters state at the end of a period their value during it, so the
/// value goes into the row of the time before, and the new row waits for the next one.
fn count(ts: i64, counter: GpuCounter, value: f64, trackers: &mut Trackers, tables: &mut Tables) {
    let now = if counter.forwards { value } else { 0.0 };
    let row = push_counter(ts, counter.track, now, &mut trackers.bounds, tables);
    if counter.forwards {
        return;
    }
    if let Some(before) = trackers.source.gpu_counters.replace_last(counter.track, row) {
        tables.counter.value.set(before, value);
    }
}
