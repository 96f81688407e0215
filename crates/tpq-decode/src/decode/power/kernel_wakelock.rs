//! How long the kernel and native programs kept an Android system awake.

use tpq_ingest::Route;
use tpq_proto::fields::{
    kernel_wakelock_data::{self, wakelock},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Dimensions, KernelWakelock, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::KERNEL_WAKELOCK_DATA, route: Route::Sorted, decode };

const COUNTER: TrackKind = TrackKind::counter("android_kernel_wakelock", Some("ms"));
const NS_PER_MS: f64 = 1e6;
/// A flag of the recorder: a lock read 0 that was held before.
const READ_ZERO: u64 = 1;
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
    if LastFields::<5>::new(packet.data).uint(kernel_wakelock_data::ERROR_FLAGS) & READ_ZERO != 0 {
        stats.increment(Stat::KernelWakelockZeroValueReported);
    }
    // A lock that is not named was not held since the last packet.
    for (lock, held) in trackers.source.wakelocks.held(sequence, packet.data.len()) {
        let dimensions = Dimensions::machine(packet.machine)
            .text("wakelock_name", lock.name)
            .text("wakelock_type", lock.kind);
        let sample = (packet.ts(), held as f64 * NS_PER_MS);
        trackers.count(sample, COUNTER, dimensions, lock.name, tables);
    }
}
