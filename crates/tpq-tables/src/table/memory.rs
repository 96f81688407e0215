//! What processes map into their memory.

use crate::StringId;

declare_table! {
    /// A mapping of a process's memory, or several of one name taken together.
    table "profiler_smaps" => ProfilerSmapsTable, ProfilerSmapsRow {
        /// The process.
        upid: u32 => JoinId("process"),
        /// When.
        ts: i64 => Timestamp,
        /// What is mapped: a file, or what the memory is for.
        path: StringId => String,
        /// The path without the mark of deleted files.
        path_trimmed: StringId => String,
        /// How many mappings the row stands for.
        aggregate_count: u32 => Long,
        /// Whether the file was deleted.
        is_deleted: u32 => Bool,
        /// Its size in KiB.
        size_kb: i64 => Long,
        /// Memory of this process alone that was written to, in KiB.
        private_dirty_kb: i64 => Long,
        /// Memory that was moved out of RAM, in KiB.
        swap_kb: i64 => Long,
        /// The name of the file.
        file_name: StringId => String,
        /// Where it begins.
        start_address: i64 => Long,
        /// When the module was built.
        module_timestamp: i64 => Long,
        /// What tells the module's debug information from others.
        module_debugid: StringId => String,
        /// Where the module's debug information is.
        module_debug_path: StringId => String,
        /// What may be done with the memory, as bits.
        protection_flags: i64 => Long,
        /// Memory of this process alone that was not written to, in KiB.
        private_clean_resident_kb: i64 => Long,
        /// Memory of several processes that was written to, in KiB.
        shared_dirty_resident_kb: i64 => Long,
        /// Memory of several processes that was not written to, in KiB.
        shared_clean_resident_kb: i64 => Long,
        /// Memory that may not leave RAM, in KiB.
        locked_kb: i64 => Long,
        /// Memory in RAM, that of several processes divided among them, in KiB.
        proportional_resident_kb: i64 => Long,
        /// Memory in RAM, in KiB.
        rss_kb: i64 => Long,
        /// Memory that no file backs, in KiB.
        anonymous_kb: i64 => Long,
        /// The part of the proportional memory that was written to, in KiB.
        pss_dirty_kb: i64 => Long,
        /// Memory moved out of RAM, that of several processes divided among them, in KiB.
        swap_pss_kb: i64 => Long,
    }
}
