//! Counters of GPUs.

mod descriptor;
mod unit;

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::{
    gpu_counter_event::{self, gpu_counter},
    interned_data, trace_packet,
};
use tpq_proto::message::{GpuCounterDescriptor, InternedGpuCounterDescriptor};
use tpq_proto::wire::{Fields, LastFields, Value};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{GpuCounter, Trackers, push_counter};

/// Decoded twice: descriptions before any event, values in the order of time.
pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::GPU_COUNTER_EVENT,
    route: Route::TwiceIfDated,
    decode: decode_event,
};

fn decode_event(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let event = LastFields::<5>::new(packet.data);
    let iid = event.get(gpu_counter_event::COUNTER_DESCRIPTOR_IID).map(|iid| iid.as_u64());
    match (packet.early, iid) {
        (true, Some(iid)) => describe(packet, iid, trackers, tables, stats),
        (true, None) => describe_inline(packet, &event, trackers, tables, stats),
        (false, Some(iid)) => count_interned(packet, iid, trackers, tables, stats),
        (false, None) => count_inline(packet, trackers, tables, stats),
    }
}

/// Adds the counters of an interned description, once.
fn describe(
    packet: &Packet<'_>,
    iid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let scope = (packet.interned_scope(), iid);
    if trackers.source.gpu_counters.interned.get(&scope).is_some_and(|known| known.is_some()) {
        return;
    }
    // A present but unreadable description is not read again for each value.
    let known = trackers.source.gpu_counters.interned.contains_key(&scope);
    let kind = interned_data::GPU_COUNTER_DESCRIPTORS;
    let message = packet.interned_message(kind, iid, stats).filter(|_| !known);
    let interned = message.and_then(|message| decode::<InternedGpuCounterDescriptor>(message).ok());
    let found = interned.map(|interned| (interned.gpu_id() as u32, interned.counter_descriptor));
    let counters = match found {
        Some((gpu, Some(descriptor))) => {
            Some(descriptor::counters(packet.machine, gpu, &descriptor, trackers, tables))
        }
        _ => {
            stats.increment(Stat::GpuCountersInvalidSpec);
            None
        }
    };
    if message.is_some() {
        trackers.source.gpu_counters.interned.insert(scope, counters);
    }
}

/// Adds the counters that a packet of values describes itself.
fn describe_inline(
    packet: &Packet<'_>,
    event: &LastFields<'_, 5>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(bytes) = event.get(gpu_counter_event::COUNTER_DESCRIPTOR) else { return };
    let gpu = event.uint(gpu_counter_event::GPU_ID) as u32;
    match decode::<GpuCounterDescriptor>(bytes.as_bytes()) {
        Ok(found) => descriptor::add_inline(packet.machine, gpu, &found, trackers, tables, stats),
        Err(_) => stats.increment(Stat::GpuCountersInvalidSpec),
    }
}

/// Writes values of counters that an interned description names. Values of others are counted,
/// unless the description is missing, which is counted already.
fn count_interned(
    packet: &Packet<'_>,
    iid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let scope = (packet.interned_scope(), iid);
    for (id, value) in values(packet.data) {
        let known = trackers.source.gpu_counters.interned.get(&scope);
        let Some(Some(counters)) = known else { return };
        match counters.get(&id) {
            Some(&counter) => count(packet.ts(), counter, value, trackers, tables),
            None => stats.increment(Stat::GpuCountersInvalidSpec),
        }
    }
}

/// Writes values of counters that packets of values describe. Values of others are counted.
fn count_inline(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for (id, value) in values(packet.data) {
        match trackers.source.gpu_counters.inline.get(&id) {
            Some(&counter) => count(packet.ts(), counter, value, trackers, tables),
            None => stats.increment(Stat::GpuCountersMissingSpec),
        }
    }
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
