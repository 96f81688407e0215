//! Memory maps of processes, and memory snapshots of browsers.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A memory mapping of a process, or the sum of several mappings with the same name.
    table "profiler_smaps" => ProfilerSmapsTable, ProfilerSmapsRow {
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Time of the measurement, ns in trace time.
        ts: i64 => Timestamp,
        /// Mapped file, or the purpose of the memory.
        path: StringId => String,
        /// Path without the suffix of deleted files.
        path_trimmed: StringId => String,
        /// Number of mappings in this row.
        aggregate_count: u32 => Long,
        /// Whether the mapped file was deleted.
        is_deleted: u32 => Bool,
        /// Size, KiB.
        size_kb: i64 => Long,
        /// Private memory that was written to, KiB.
        private_dirty_kb: i64 => Long,
        /// Memory in swap, KiB.
        swap_kb: i64 => Long,
        /// Name of the mapped file.
        file_name: StringId => String,
        /// First address of the mapping.
        start_address: i64 => Long,
        /// Build time of the module, as recorded; 0 if unknown.
        module_timestamp: i64 => Long,
        /// Id of the module's debug information.
        module_debugid: StringId => String,
        /// Path of the module's debug information.
        module_debug_path: StringId => String,
        /// Protection of the memory, as bits.
        protection_flags: i64 => Long,
        /// Private memory in RAM that was not written to, KiB.
        private_clean_resident_kb: i64 => Long,
        /// Shared memory in RAM that was written to, KiB.
        shared_dirty_resident_kb: i64 => Long,
        /// Shared memory in RAM that was not written to, KiB.
        shared_clean_resident_kb: i64 => Long,
        /// Memory that is locked in RAM, KiB.
        locked_kb: i64 => Long,
        /// Memory in RAM, with shared memory divided by the number of its users, KiB.
        proportional_resident_kb: i64 => Long,
        /// Memory in RAM, KiB.
        rss_kb: i64 => Long,
        /// Memory without a file behind it, KiB.
        anonymous_kb: i64 => Long,
        /// Part of the proportional memory that was written to, KiB.
        pss_dirty_kb: i64 => Long,
        /// Memory in swap, with shared memory divided by the number of its users, KiB.
        swap_pss_kb: i64 => Long,
    }
}

declare_table! {
    /// A snapshot of the memory of all processes of Chrome.
    table "__intrinsic_memory_snapshot" of Tracks => MemorySnapshotTable, MemorySnapshotRow {
        /// Time of the snapshot, ns in trace time.
        timestamp: i64 => Timestamp,
        /// Track of global instants of Chrome; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// Level of detail: `detailed`, `light` or `background`.
        detail_level: StringId => String,
    }
}

declare_table! {
    /// The part of a process in a memory snapshot. Process 0 stands for memory of no process.
    table "__intrinsic_process_memory_snapshot" =>
        ProcessMemorySnapshotTable, ProcessMemorySnapshotRow {
        /// Snapshot; join with `__intrinsic_memory_snapshot` on `id`.
        snapshot_id: u32 => JoinId("__intrinsic_memory_snapshot"),
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
    }
}

declare_table! {
    /// A part of the memory of an allocator in a memory snapshot.
    table "__intrinsic_memory_snapshot_node" => MemorySnapshotNodeTable, MemorySnapshotNodeRow {
        /// Process in the snapshot; join with `__intrinsic_process_memory_snapshot` on `id`.
        process_snapshot_id: u32 => JoinId("__intrinsic_process_memory_snapshot"),
        /// The part that contains this one; join with `__intrinsic_memory_snapshot_node` on `id`.
        /// NULL at the top.
        parent_node_id: Option<u32> => JoinId("__intrinsic_memory_snapshot_node"),
        /// Names from the top to this part, separated by slashes. `<unspecified>` is what the other
        /// parts of a part do not explain.
        path: StringId => String,
        /// Size, bytes; NULL if unknown.
        size: Option<i64> => Long,
        /// Size without what other parts own of it, and with what it owns of others, bytes; NULL if
        /// unknown. Effective sizes of a snapshot can be summed.
        effective_size: Option<i64> => Long,
        /// Values that the allocator states, each with its unit; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}

declare_table! {
    /// An ownership in a memory snapshot: a part of memory owns memory of another part.
    table "__intrinsic_memory_snapshot_edge" => MemorySnapshotEdgeTable, MemorySnapshotEdgeRow {
        /// The owner; join with `__intrinsic_memory_snapshot_node` on `id`.
        source_node_id: u32 => JoinId("__intrinsic_memory_snapshot_node"),
        /// The owned part; join with `__intrinsic_memory_snapshot_node` on `id`.
        target_node_id: u32 => JoinId("__intrinsic_memory_snapshot_node"),
        /// Importance: the memory counts for owners of the greatest importance first.
        importance: u32 => Long,
    }
}
