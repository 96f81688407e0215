//! Memory maps of processes.

use crate::StringId;

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
