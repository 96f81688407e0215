//! CPUs.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A CPU that occurs in the trace. Its `id` is its ucpu, unique across machines.
    table "cpu" => CpuTable, CpuRow {
        /// Number of the CPU on its machine; NULL if unknown.
        cpu: Option<u32> => Long,
        /// Cluster of the CPU; NULL if unknown.
        cluster_id: Option<u32> => Long,
        /// Description of the processor by the kernel; NULL if unknown.
        processor: StringId => String,
        /// Machine of the CPU; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
        /// Computing capacity, where the strongest CPU of the machine has 1024; NULL if unknown.
        capacity: Option<u32> => Long,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}

declare_table! {
    /// A frequency that a CPU supports.
    table "cpu_freq" => CpuFreqTable, CpuFreqRow {
        /// CPU; join with `cpu` on `id`.
        ucpu: u32 => JoinId("cpu"),
        /// Frequency, kHz.
        freq: u32 => Long,
    }
}
