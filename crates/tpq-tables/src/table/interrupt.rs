//! Interrupts.

use crate::StringId;

declare_table! {
    /// Name of an interrupt of a machine.
    table "_linux_interrupt_mapping" => InterruptMappingTable, InterruptMappingRow {
        /// Number of the interrupt on its machine.
        irq_id: u32 => Long,
        /// Name of the interrupt: a device, or the driver that handles it.
        name: StringId => String,
        /// Machine of the interrupt; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
    }
}
