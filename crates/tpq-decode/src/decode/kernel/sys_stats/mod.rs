//! Counters of the system as a whole, polled from /proc and /sys.

mod cpu;
mod disk;
mod frequency;
mod kernel;
mod memory;
mod pressure;
mod thermal;

use tpq_ingest::Route;
use tpq_proto::fields::{sys_stats, trace_packet};
use tpq_proto::wire::{Field, Fields};
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::SYS_STATS, route: Route::Sorted, decode };

/// Decodes all fields of one number that a poll has.
type DecodeFields = fn(&Packet<'_>, &[Field<'_>], &mut Trackers, &mut Tables, &mut Stats);

/// The fields of a poll, in the order in which their values are written.
const FIELDS: &[(u32, DecodeFields)] = &[
    (sys_stats::MEMINFO, memory::meminfo),
    (sys_stats::DEVFREQ, frequency::devices),
    (sys_stats::CPUFREQ_KHZ, frequency::cpus),
    (sys_stats::VMSTAT, memory::vmstat),
    (sys_stats::CPU_STAT, cpu::times),
    (sys_stats::NUM_IRQ, kernel::interrupts),
    (sys_stats::NUM_SOFTIRQ, kernel::soft_interrupts),
    (sys_stats::NUM_FORKS, kernel::forks),
    (sys_stats::NUM_IRQ_TOTAL, kernel::all_interrupts),
    (sys_stats::NUM_SOFTIRQ_TOTAL, kernel::all_soft_interrupts),
    (sys_stats::BUDDY_INFO, memory::buddy_info),
    (sys_stats::DISK_STAT, disk::disks),
    (sys_stats::PSI, pressure::stalls),
    (sys_stats::THERMAL_ZONE, thermal::zones),
    (sys_stats::CPUIDLE_STATE, cpu::idle_states),
    (sys_stats::GPUFREQ_MHZ, frequency::gpu),
    (sys_stats::SLAB_INFO, memory::slabs),
];

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut fields: Vec<Field<'_>> = Fields::new(packet.data).collect();
    if fields.is_empty() {
        return;
    }
    trackers.bounds.include(packet.ts());
    fields.sort_by_key(|field| field.number);
    for &(number, decode) in FIELDS {
        let start = fields.partition_point(|field| field.number < number);
        let end = fields.partition_point(|field| field.number <= number);
        if start < end {
            decode(packet, &fields[start..end], trackers, tables, stats);
        }
    }
}

/// The integers in the fields 1 to `N` of a message; 0 for those it does not have.
fn numbers<const N: usize>(message: &[u8]) -> [u64; N] {
    let mut numbers = [0; N];
    for field in Fields::new(message) {
        if let Some(number) = numbers.get_mut(field.number as usize - 1) {
            *number = field.as_u64();
        }
    }
    numbers
}

/// The text in a field of a message; empty where it has none.
fn text(message: &[u8], number: u32) -> &[u8] {
    let mut fields = Fields::new(message).filter(|field| field.number == number);
    fields.next().map(|field| field.as_bytes()).unwrap_or_default()
}
