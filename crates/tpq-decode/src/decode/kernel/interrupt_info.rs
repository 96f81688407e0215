//! Names of the interrupts of a machine.

use rustc_hash::FxHashSet;
use tpq_ingest::Route;
use tpq_proto::fields::{
    interrupt_info::{self, interrupt_mapping},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::InterruptMappingRow;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::INTERRUPT_INFO, route: Route::Immediate, decode };

/// Interrupts of a source that have a name.
#[derive(Default)]
struct KnownInterrupts(FxHashSet<u32>);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let KnownInterrupts(known) = trackers.source.states.get();
    for mapping in
        Fields::new(packet.data).filter(|field| field.number == interrupt_info::IRQ_MAPPING)
    {
        let mapping = LastFields::<3>::new(mapping.as_bytes());
        let (Some(irq), Some(name)) =
            (mapping.get(interrupt_mapping::IRQ_ID), mapping.get(interrupt_mapping::NAME))
        else {
            continue;
        };
        let irq_id = irq.as_u32();
        // The first name of an interrupt counts.
        if known.insert(irq_id) {
            let name = tables.strings.intern_bytes(name.as_bytes());
            let machine_id = packet.machine;
            tables.linux_interrupt_mapping.push(InterruptMappingRow { irq_id, name, machine_id });
        }
    }
}
