//! Messages of logs.

use crate::StringId;

declare_table! {
    /// A message of a log: of Android's, or of the journal of a Linux system.
    table "logs" => LogTable, LogRow {
        /// When it was logged.
        ts: i64 => Timestamp,
        /// The thread that logged it.
        utid: Option<u32> => JoinId("thread"),
        /// How grave it is. In Android's log from 2 (verbose) over 4 (information) to 7 (fatal); in
        /// the journal from 0 (emergency) to 7 (debugging).
        prio: u32 => Long,
        /// The log: `android_logcat` or `systemd_journald`.
        log_source: StringId => String,
        /// What whoever logged it calls itself.
        tag: StringId => String,
        /// The message; for an event of the binary log, its arguments.
        msg: StringId => String,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}
