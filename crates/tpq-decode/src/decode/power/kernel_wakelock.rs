//! How long the kernel and native programs kept an Android system awake.

use tpq_ingest::Route;
use tpq_proto::fields::{
    kernel_wakelock_data::{self, wakelock},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Dimensions, KernelWakelock, TrackKind, Trackers, push_counter};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::KERNEL_WAKELOCK_DATA, route: Route::Sorted, decode };

const COUNTER: TrackKind = TrackKind::counter("android_kernel_wakelock", Some("ms"));
const NS_PER_MS: f64 = 1e6;
/// Flags of the recorder: a lock read 0 that was held before, less than before, or more than can be.
const ERRORS: [(u64, Stat); 3] = [
    (1, Stat::KernelWakelockZeroValueReported),
    (2, Stat::KernelWakelockNonMonotonicValueReported),
    (4, Stat::KernelWakelockImplausiblyLargeValueReported),
];
/// Types of wakelocks.
const KERNEL: u64 = 1;
const NATIVE: u64 = 2;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let Some(state) = packet.interned.generation(packet.generation) else { return };
    let sequence = state.interned;
    for lock in
        Fields::new(packet.data).filter(|field| field.number == kernel_wakelock_data::WAKELOCK)
    {
        let lock = LastFields::<4>::new(lock.as_bytes());
        let kind = match lock.uint(wakelock::WAKELOCK_TYPE) {
            KERNEL => "kernel",
            NATIVE => "native",
            _ => "unknown",
        };
        let known = KernelWakelock {
            name: crate::decode::text(&lock, wakelock::WAKELOCK_NAME, tables),
            kind: tables.strings.intern(kind),
        };
        if !trackers.source.wakelocks.name(sequence, lock.uint(wakelock::WAKELOCK_ID) as u32, known)
        {
            stats.increment(Stat::KernelWakelockReusedId);
        }
    }
    let numbers = |wanted| {
        let fields = Fields::new(packet.data).filter(move |field| field.number == wanted);
        fields.flat_map(|field| repeated(&field).collect::<Vec<_>>())
    };
    for (id, held) in numbers(kernel_wakelock_data::WAKELOCK_ID)
        .zip(numbers(kernel_wakelock_data::TIME_HELD_MILLIS))
    {
        if !trackers.source.wakelocks.hold(sequence, id as u32, held) {
            stats.increment(Stat::KernelWakelockUnknownId);
        }
    }
    let flags = LastFields::<5>::new(packet.data).uint(kernel_wakelock_data::ERROR_FLAGS);
    for (flag, stat) in ERRORS {
        if flags & flag != 0 {
            stats.increment(stat);
        }
    }
    count(packet, sequence, trackers, tables);
}

/// Writes how long locks were held, where that changed.
fn count(packet: &Packet<'_>, sequence: u32, trackers: &mut Trackers, tables: &mut Tables) {
    for (lock, held) in trackers.source.wakelocks.named(sequence) {
        let of = Dimensions::machine(packet.machine)
            .text("wakelock_name", lock.name)
            .text("wakelock_type", lock.kind);
        let source = &mut trackers.source;
        let track = source.tracks.get(COUNTER, of, lock.name, &mut trackers.deferred, tables);
        let sample = (packet.ts(), held);
        for (ts, held) in source.wakelocks.offer(sequence, lock.name, track, sample) {
            let value = held as f64 * NS_PER_MS;
            push_counter(ts, track, value, &mut trackers.bounds, tables);
        }
    }
    trackers.source.wakelocks.end_packet(sequence, packet.ts());
}
