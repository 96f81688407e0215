//! Heap profiles: what processes allocated and freed, by call stack.
//!
//! A dump is a series of packets of one sequence. All but the last have the flag `continued`. Stacks
//! may come after the allocations that refer to them, so rows are written with the last packet.

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::fields::profile_packet::{
    self, heap_sample as sample, process_heap_samples as dump, process_stats,
};
use tpq_proto::fields::trace_packet;
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::profile_stacks::ProfileStacks;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::stacks::InternedStacks;
use tpq_trackers::track::{Allocation, SourceTrackers, Tid, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PROFILE_PACKET, route: Route::Sorted, decode };

/// The profiler in the process could not write in time because its buffer was full.
const HIT_TIMEOUT: i64 = 1;
/// The heap of allocations without one.
const UNKNOWN_HEAP: &str = "unknown";

/// Stacks that profiles of a source listed, by sequence.
#[derive(Default)]
struct ListedStacks(FxHashMap<u32, ProfileStacks>);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let header = LastFields::<8>::new(packet.data);
    let sequence = sequence(packet);
    let profile = trackers.heap_profiles.profile(packet.source, sequence);
    if profile.set_index(header.uint(profile_packet::INDEX)) {
        stats.increment(Stat::HeapprofdMissingPacket);
    }
    let SourceTrackers { states, stacks, .. } = &mut *trackers.source;
    let listed = states.get::<ListedStacks>().0.entry(sequence).or_default();
    listed.add(packet.data, stacks, tables, stats);
    let mut fields = Fields::new(packet.data);
    for field in &mut fields {
        if field.number == profile_packet::PROCESS_DUMPS {
            add_dump(packet, field.as_bytes(), trackers, tables, stats);
        }
    }
    if fields.is_damaged() {
        stats.increment(Stat::MalformedPackets);
    }
    if header.uint(profile_packet::CONTINUED) == 0 {
        write(packet, trackers, tables, stats);
    }
}

fn sequence(packet: &Packet<'_>) -> u32 {
    let generation = packet.interned.generation(packet.generation);
    generation.map_or(0, |generation| generation.sequence)
}

/// Writes the allocations of a complete dump.
fn write(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let sequence = sequence(packet);
    let SourceTrackers { states, stacks, .. } = &mut *trackers.source;
    let listed = states.get::<ListedStacks>().0.remove(&sequence).unwrap_or_default();
    let profile = trackers.heap_profiles.profile(packet.source, sequence);
    for allocation in profile.take_pending() {
        let interned = InternedStacks {
            interned: packet.interned,
            generation: packet.generation,
            upid: Some(allocation.upid),
        };
        let callsite = listed
            .callsite(allocation.callstack)
            .or_else(|| interned.callstack(allocation.callstack, stacks, tables, stats));
        let Some(callsite) = callsite else { continue };
        if profile.write(&allocation, callsite, tables, stats) {
            trackers.bounds.include(allocation.ts);
        }
    }
}

/// Adds the dump of one heap of a process.
fn add_dump(
    packet: &Packet<'_>,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let fields = LastFields::<16>::new(message);
    let Some(end) = packet.at_monotonic_coarse(fields.int(dump::TIMESTAMP)) else {
        stats.increment(Stat::ClockSyncFailureNoPath);
        return;
    };
    let start = fields.get(dump::START_TIMESTAMP);
    let start = start.and_then(|start| packet.at_monotonic_coarse(start.as_i64())).unwrap_or(end);
    let pid = fields.uint(dump::PID) as u32;
    stats.set_indexed(Stat::HeapprofdLastProfileTimestamp, i64::from(pid), packet.ts());
    let upid =
        trackers.processes.process(Tid { machine: packet.machine, id: i64::from(pid) }, tables);
    let heap_name = match fields.bytes(dump::HEAP_NAME) {
        [] => StringId::NULL,
        name => tables.strings.intern_bytes(name),
    };
    trackers.heap_profiles.add_dump(upid, heap_name, (start, end), tables);
    count_remarks(&fields, i64::from(pid), stats);
    let heap_name = match heap_name.is_null() {
        true => tables.strings.intern(UNKNOWN_HEAP),
        false => heap_name,
    };
    let profile = trackers.heap_profiles.profile(packet.source, sequence(packet));
    // Recorders that state the wanted interval count what a maximum consists of correctly.
    let counts_maximum = fields.uint(dump::ORIG_SAMPLING_INTERVAL_BYTES) > 0;
    for field in Fields::new(message).filter(|field| field.number == dump::SAMPLES) {
        let totals = LastFields::<10>::new(field.as_bytes());
        let allocation = Allocation {
            upid,
            ts: end,
            heap_name,
            callstack: totals.uint(sample::CALLSTACK_ID),
            alloc_count: 0,
            allocated: 0,
            free_count: 0,
            freed: 0,
        };
        profile.add(match totals.get(sample::SELF_MAX) {
            Some(max) => Allocation {
                allocated: max.as_u64(),
                alloc_count: match counts_maximum {
                    true => totals.uint(sample::SELF_MAX_COUNT),
                    false => 0,
                },
                ..allocation
            },
            None => Allocation {
                alloc_count: totals.uint(sample::ALLOC_COUNT),
                allocated: totals.uint(sample::SELF_ALLOCATED),
                free_count: totals.uint(sample::FREE_COUNT),
                freed: totals.uint(sample::SELF_FREED),
                ..allocation
            },
        });
    }
}

/// Counts what the profiler reports about itself.
fn count_remarks(fields: &LastFields<'_, 16>, pid: i64, stats: &mut Stats) {
    let client_error = fields.int(dump::CLIENT_ERROR);
    let overran = fields.uint(dump::BUFFER_OVERRAN) != 0 || client_error == HIT_TIMEOUT;
    for (happened, stat) in [
        (fields.uint(dump::DISCONNECTED) != 0, Stat::HeapprofdClientDisconnected),
        (fields.uint(dump::BUFFER_CORRUPTED) != 0, Stat::HeapprofdBufferCorrupted),
        (overran, Stat::HeapprofdBufferOverran),
        (fields.uint(dump::REJECTED_CONCURRENT) != 0, Stat::HeapprofdRejectedConcurrent),
        (fields.uint(dump::HIT_GUARDRAIL) != 0, Stat::HeapprofdHitGuardrail),
    ] {
        if happened {
            stats.add_indexed(stat, pid, 1);
        }
    }
    if client_error != 0 {
        stats.set_indexed(Stat::HeapprofdClientError, pid, client_error);
    }
    let wanted = fields.int(dump::ORIG_SAMPLING_INTERVAL_BYTES);
    if wanted != 0 {
        let interval = fields.int(dump::SAMPLING_INTERVAL_BYTES);
        let by = interval.wrapping_sub(wanted);
        stats.set_indexed(Stat::HeapprofdSamplingIntervalAdjusted, pid, by);
    }
    let work = LastFields::<7>::new(fields.bytes(dump::STATS));
    for (stat, field) in [
        (Stat::HeapprofdUnwindTimeUs, process_stats::TOTAL_UNWINDING_TIME_US),
        (Stat::HeapprofdUnwindSamples, process_stats::HEAP_SAMPLES),
        (Stat::HeapprofdClientSpinlockBlocked, process_stats::CLIENT_SPINLOCK_BLOCKED_US),
    ] {
        stats.add_indexed(stat, pid, work.int(field));
    }
}
