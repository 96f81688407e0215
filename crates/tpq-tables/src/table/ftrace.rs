//! Kernel events as they were recorded.

use crate::StringId;

declare_table! {
    /// An event of the Linux kernel as ftrace recorded it, with all its arguments.
    table "ftrace_event" of KernelEvents => FtraceEventTable, FtraceEventRow {
        /// Time of the event, ns in trace time.
        ts: i64 => Timestamp,
        /// Name of the tracepoint.
        name: StringId => String,
        /// Thread that was running; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<u32> => ArgSetId,
        /// Flags of the kernel's `trace_flag_type`, such as whether the event occurred in an
        /// interrupt.
        common_flags: u32 => Long,
        /// CPU of the event; join with `cpu` on `id`.
        ucpu: u32 => JoinId("cpu"),
    }
}
