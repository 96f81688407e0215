//! GPUs and their counters.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A GPU that occurs in the trace. Its `id` is its ugpu, unique across machines.
    table "gpu" => GpuTable, GpuRow {
        /// Number of the GPU on its machine; NULL if unknown.
        gpu: Option<u32> => Long,
        /// Machine of the GPU; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
        /// Name of the GPU; NULL if unknown.
        name: StringId => String,
        /// Vendor of the GPU; NULL if unknown.
        vendor: StringId => String,
        /// Model of the GPU; NULL if unknown.
        model: StringId => String,
        /// Architecture of the GPU; NULL if unknown.
        architecture: StringId => String,
        /// UUID of the GPU, in hexadecimal; NULL if unknown.
        uuid: StringId => String,
        /// Address on the PCI bus (bus, device, function); NULL if unknown.
        pci_bdf: StringId => String,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}

declare_table! {
    /// Membership of a counter in a group of GPU counters.
    table "gpu_counter_group" => GpuCounterGroupTable, GpuCounterGroupRow {
        /// Id of the group.
        group_id: i32 => Long,
        /// Track of the counter; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// Name of the group; NULL if the trace has none.
        name: StringId => String,
        /// Description of the group; NULL if the trace has none.
        description: StringId => String,
    }
}
