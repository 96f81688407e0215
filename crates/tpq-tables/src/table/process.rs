//! Threads and processes, told apart over the reuse of tids and pids.

use crate::StringId;

declare_table! {
    /// A thread. Its `id` is its utid, unique over the trace where tids are reused.
    table "thread" => ThreadTable, ThreadRow {
        /// The kernel's id of the thread.
        tid: i64 => Long,
        /// The thread's name, from the best source that gave one.
        name: StringId => String,
        /// When it was created, if that was seen.
        start_ts: Option<i64> => Timestamp,
        /// When it ended, if that was seen.
        end_ts: Option<i64> => Timestamp,
        /// The process it belongs to, if known.
        upid: Option<u32> => JoinId("process"),
        /// Whether it is its process's first thread; NULL while the process is unknown.
        is_main_thread: Option<u32> => Bool,
        /// Whether it is a CPU's idle task.
        is_idle: u32 => Bool,
        /// The machine it ran on.
        machine_id: u32 => JoinId("machine"),
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}

declare_table! {
    /// A process. Its `id` is its upid, unique over the trace where pids are reused.
    table "process" => ProcessTable, ProcessRow {
        /// The kernel's id of the process.
        pid: i64 => Long,
        /// The process's name, from the best source that gave one.
        name: StringId => String,
        /// When it was created, if that was seen.
        start_ts: Option<i64> => Timestamp,
        /// When it ended, if that was seen.
        end_ts: Option<i64> => Timestamp,
        /// The process that created it.
        parent_upid: Option<u32> => JoinId("process"),
        /// The user it runs as.
        uid: Option<u32> => Long,
        /// The Android application the user id stands for.
        android_appid: Option<u32> => Long,
        /// The Android user the user id stands for.
        android_user_id: Option<u32> => Long,
        /// The command line, arguments separated by spaces.
        cmdline: StringId => String,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
        /// The machine it ran on.
        machine_id: u32 => JoinId("machine"),
    }
}
