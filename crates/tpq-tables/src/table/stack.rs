//! Code that ran: what was mapped into memory.

use crate::StringId;

declare_table! {
    /// A part of a binary that is mapped into memory.
    table "stack_profile_mapping" => StackProfileMappingTable, StackProfileMappingRow {
        /// Build id of the binary, in hexadecimal.
        build_id: StringId => String,
        /// Offset of the mapping in the file, bytes.
        exact_offset: i64 => Long,
        /// Offset of the binary's code in the file, bytes.
        start_offset: i64 => Long,
        /// First address of the mapping.
        start: i64 => Long,
        /// First address after the mapping.
        end: i64 => Long,
        /// Difference between addresses in memory and addresses in the binary.
        load_bias: i64 => Long,
        /// Path of the binary.
        name: StringId => String,
    }
}
