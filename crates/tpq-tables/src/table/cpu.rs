//! CPUs.

use crate::StringId;

declare_table! {
    /// A CPU that the trace mentions. Its `id` is its ucpu, unique over machines.
    table "cpu" => CpuTable, CpuRow {
        /// The machine's number for it.
        cpu: Option<u32> => Long,
        /// The cluster of alike CPUs it belongs to.
        cluster_id: Option<u32> => Long,
        /// What the kernel says of the processor.
        processor: StringId => String,
        /// The machine it is in.
        machine_id: u32 => JoinId("machine"),
        /// Its computing power relative to the machine's strongest CPU, which has 1024.
        capacity: Option<u32> => Long,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}

declare_table! {
    /// A frequency that a CPU can run at.
    table "cpu_freq" => CpuFreqTable, CpuFreqRow {
        /// The CPU, unique over machines.
        ucpu: u32 => JoinId("cpu"),
        /// The frequency in kHz.
        freq: u32 => Long,
    }
}
