//! Interrupts.

use crate::StringId;

declare_table! {
    /// An interrupt of a machine, and what it is called there.
    table "_linux_interrupt_mapping" => InterruptMappingTable, InterruptMappingRow {
        /// The machine's number for it.
        irq_id: u32 => Long,
        /// What it is for: a device, or the driver that handles it.
        name: StringId => String,
        /// The machine it is of.
        machine_id: u32 => JoinId("machine"),
    }
}
