//! GPUs, their counters, contexts and memory.

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
    table "gpu_counter_group" of Tracks => GpuCounterGroupTable, GpuCounterGroupRow {
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

declare_table! {
    /// A graphics or compute context of a process, as render stage events refer to it.
    table "gpu_context" => GpuContextTable, GpuContextRow {
        /// Number of the context, to which `context_id` of `gpu_slice` refers.
        context_id: i64 => Long,
        /// Kernel id of the process that owns the context; NULL if not stated.
        pid: Option<u32> => Long,
        /// API of the context, such as `VULKAN`; NULL if not stated, `UNDEFINED` if unknown.
        api: StringId => String,
    }
}

declare_table! {
    /// A change of memory that a Vulkan driver or program reports.
    table "vulkan_memory_allocations" => VulkanMemoryTable, VulkanMemoryRow {
        /// Annotations of the event; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Kind of memory or object: `DRIVER`, `DEVICE`, `GPU_DEVICE_MEMORY`, `GPU_BUFFER`…
        source: StringId => String,
        /// Kind of change: `CREATE`, `DESTROY`, `BIND`, `DESTROY_BOUND` or `ANNOTATIONS`.
        operation: StringId => String,
        /// Time of the change as the event states it, ns.
        timestamp: i64 => Long,
        /// Process; join with `process` on `upid`.
        upid: Option<u32> => JoinId("process"),
        /// Handle of the device; NULL if not stated.
        device: Option<i64> => Long,
        /// Handle of the device memory; NULL if not stated.
        device_memory: Option<i64> => Long,
        /// Index of the memory type; NULL if not stated.
        memory_type: Option<u32> => Long,
        /// Index of the memory heap; NULL if not stated.
        heap: Option<u32> => Long,
        /// Function that caused the change; NULL if not stated.
        function_name: StringId => String,
        /// Handle of the buffer or image; NULL if not stated.
        object_handle: Option<i64> => Long,
        /// Address of the memory; NULL if not stated.
        memory_address: Option<i64> => Long,
        /// Size of the memory, bytes; NULL if not stated.
        memory_size: Option<i64> => Long,
        /// Lifetime of an allocation of the driver: `COMMAND`, `OBJECT`, `CACHE`, `DEVICE` or
        /// `INSTANCE`.
        scope: StringId => String,
    }
}
