//! Code that ran: what was mapped into memory.

use crate::StringId;

declare_table! {
    /// A part of a binary that was mapped into memory.
    table "stack_profile_mapping" => StackProfileMappingTable, StackProfileMappingRow {
        /// The build id of the binary, in hexadecimal digits.
        build_id: StringId => String,
        /// Where in the file the mapping begins, in bytes.
        exact_offset: i64 => Long,
        /// Where in the file the code of the binary begins, in bytes.
        start_offset: i64 => Long,
        /// The first address.
        start: i64 => Long,
        /// The first address after it.
        end: i64 => Long,
        /// What addresses in the binary are moved by.
        load_bias: i64 => Long,
        /// The path of the binary.
        name: StringId => String,
    }
}
