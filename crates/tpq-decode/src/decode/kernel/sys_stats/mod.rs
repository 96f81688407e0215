//! Counters of the system as a whole, polled from /proc and /sys.

mod cpu;
mod disk;
mod frequency;
mod kernel;
mod memory;
mod pressure;
mod thermal;

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
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
    (1, memory::meminfo),
    (10, frequency::devices),
    (11, frequency::cpus),
    (2, memory::vmstat),
    (3, cpu::times),
    (6, kernel::interrupts),
    (8, kernel::soft_interrupts),
    (4, kernel::forks),
    (5, kernel::all_interrupts),
    (7, kernel::all_soft_interrupts),
    (12, memory::buddy_info),
    (13, disk::disks),
    (14, pressure::stalls),
    (15, thermal::zones),
    (16, cpu::idle_states),
    (17, frequency::gpu),
    (18, memory::slabs),
];

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut fields: Vec<Field<'_>> = Fields::new(packet.data).collect();
    if fields.is_empty() {
        return;
    }
    trackers.bounds.include(packet.ts);
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
