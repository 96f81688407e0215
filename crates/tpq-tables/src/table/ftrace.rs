//! Kernel events as they were recorded.

use crate::StringId;

declare_table! {
    /// An event of the Linux kernel, as its ftrace recorded it, with all its arguments.
    table "ftrace_event" => FtraceEventTable, FtraceEventRow {
        /// When it happened.
        ts: i64 => Timestamp,
        /// The kernel's name of the tracepoint.
        name: StringId => String,
        /// The thread that was running.
        utid: u32 => JoinId("thread"),
        /// Its arguments.
        arg_set_id: Option<u32> => ArgSetId,
        /// Whether it happened in an interrupt, and more: the kernel's `trace_flag_type`.
        common_flags: u32 => Long,
        /// The CPU, unique over machines.
        ucpu: u32 => JoinId("cpu"),
    }
}
