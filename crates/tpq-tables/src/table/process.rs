//! Threads and processes, with ids that stay unique when tids and pids are reused.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A thread. Its `id` is its utid, unique in the trace where tids are reused.
    table "thread" => ThreadTable, ThreadRow {
        /// Tid of the thread.
        tid: i64 => Long,
        /// Name of the thread, from the most reliable source.
        name: StringId => String,
        /// Start of the thread, ns in trace time; NULL if it was not recorded.
        start_ts: Option<i64> => Timestamp,
        /// End of the thread, ns in trace time; NULL if it was not recorded.
        end_ts: Option<i64> => Timestamp,
        /// Process of the thread; NULL if unknown. Join with `process` on `upid`.
        upid: Option<u32> => JoinId("process"),
        /// Whether it is the main thread of its process; NULL if the process is unknown.
        is_main_thread: Option<u32> => Bool,
        /// Whether it is the idle task of a CPU.
        is_idle: u32 => Bool,
        /// Machine of the thread; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}

declare_table! {
    /// A process. Its `id` is its upid, unique in the trace where pids are reused.
    table "process" => ProcessTable, ProcessRow {
        /// Pid of the process.
        pid: i64 => Long,
        /// Name of the process, from the most reliable source.
        name: StringId => String,
        /// Start of the process, ns in trace time; NULL if it was not recorded.
        start_ts: Option<i64> => Timestamp,
        /// End of the process, ns in trace time; NULL if it was not recorded.
        end_ts: Option<i64> => Timestamp,
        /// Process that created it; NULL if unknown. Join with `process` on `upid`.
        parent_upid: Option<u32> => JoinId("process"),
        /// User id of the process; NULL if unknown.
        uid: Option<u32> => Long,
        /// Android app id, derived from the user id; NULL if unknown.
        android_appid: Option<u32> => Long,
        /// Android user, derived from the user id; NULL if unknown.
        android_user_id: Option<u32> => Long,
        /// Command line, arguments separated by spaces.
        cmdline: StringId => String,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Machine of the process; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
    }
}

declare_table! {
    /// A process of Chrome that the browser named and that did not describe itself at that time: the
    /// trace lacks data of it.
    table "__intrinsic_experimental_missing_chrome_processes" =>
        MissingChromeProcessTable, MissingChromeProcessRow {
        /// Process; join with `process` on `upid`.
        upid: u32 => Long,
        /// From when on the data of the process is complete, ns in trace time; NULL if it is not up
        /// to the end.
        reliable_from: Option<i64> => Long,
    }
}
