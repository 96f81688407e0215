//! Call stacks: mappings of binaries, frames, callsites and symbols.

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

declare_table! {
    /// A place in code that call stacks pass through.
    table "stack_profile_frame" => StackProfileFrameTable, StackProfileFrameRow {
        /// Name of the function, as recorded or as found among the symbols of the kernel; empty if
        /// unknown.
        name: StringId => String,
        /// Mapping of the binary; join with `stack_profile_mapping` on `id`.
        mapping: u32 => JoinId("stack_profile_mapping"),
        /// Address in the binary.
        rel_pc: i64 => Long,
        /// Symbols of the frame; join with `stack_profile_symbol` on `symbol_set_id`. NULL without
        /// symbols.
        symbol_set_id: Option<u32> => Long,
        /// Name before obfuscation; NULL if no mapping of the trace has it.
        deobfuscated_name: StringId => String,
        /// Kind of code, such as `native` or `interpreted`; NULL if unknown.
        kind as "type": StringId => String,
    }
}

declare_table! {
    /// A frame with its callers: a node of the tree of call stacks.
    table "stack_profile_callsite" => StackProfileCallsiteTable, StackProfileCallsiteRow {
        /// Number of callers, 0 for the outermost frame.
        depth: u32 => Long,
        /// Callsite of the caller; NULL for the outermost frame. Join with
        /// `stack_profile_callsite` on `id`.
        parent_id: Option<u32> => JoinId("stack_profile_callsite"),
        /// Frame; join with `stack_profile_frame` on `id`.
        frame_id: u32 => JoinId("stack_profile_frame"),
    }
}

declare_table! {
    /// A function at an address, with its source. Rows of one set are the function and those
    /// inlined into it, the innermost first.
    table "stack_profile_symbol" => StackProfileSymbolTable, StackProfileSymbolRow {
        /// Number of the set, which is the `id` of its first row.
        symbol_set_id: u32 => Long,
        /// Name of the function.
        name: StringId => String,
        /// Path of the source file; NULL if unknown.
        source_file: StringId => String,
        /// Line number of the address in the source file; NULL if unknown.
        line_number: Option<u32> => Long,
        /// Whether the function is inlined into that of the next row; NULL if unknown.
        inlined: Option<bool> => Bool,
    }
}

declare_table! {
    /// Call stacks at the begin and the end of a slice.
    table "__intrinsic_track_event_callstacks" of Tracks =>
        TrackEventCallstackTable, TrackEventCallstackRow {
        /// Slice; join with `slice` on `id`.
        slice_id: u32 => JoinId("slice"),
        /// Track of the slice; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// Call stack at the begin; NULL if unknown. Join with `stack_profile_callsite` on `id`.
        callsite_id: Option<u32> => JoinId("stack_profile_callsite"),
        /// Call stack at the end; NULL if unknown. Join with `stack_profile_callsite` on `id`.
        end_callsite_id: Option<u32> => JoinId("stack_profile_callsite"),
        /// Weight of the call stack; NULL if the event has none.
        weight: Option<f64> => Double,
    }
}
