//! GPUs and their counters.

use crate::StringId;

declare_table! {
    /// A GPU that the trace mentions. Its `id` is its ugpu, unique over machines.
    table "gpu" => GpuTable, GpuRow {
        /// The machine's number for it.
        gpu: Option<u32> => Long,
        /// The machine it is in.
        machine_id: u32 => JoinId("machine"),
        /// Its name.
        name: StringId => String,
        /// Who made it.
        vendor: StringId => String,
        /// Which one of the vendor's it is.
        model: StringId => String,
        /// The family of processors it belongs to.
        architecture: StringId => String,
        /// What tells it from all others, in hexadecimal.
        uuid: StringId => String,
        /// Where it is on the PCI bus.
        pci_bdf: StringId => String,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}

declare_table! {
    /// A group of counters, and one of the counters in it.
    table "gpu_counter_group" => GpuCounterGroupTable, GpuCounterGroupRow {
        /// The group.
        group_id: i32 => Long,
        /// The counter.
        track_id: u32 => JoinId("track"),
        /// The group's name, where the trace gives it one.
        name: StringId => String,
        /// What the group is about.
        description: StringId => String,
    }
}
