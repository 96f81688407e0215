//! Messages of logs.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A log message: of Android, or of the journal of a Linux system.
    table "logs" => LogTable, LogRow {
        /// Time of the message, ns in trace time.
        ts: i64 => Timestamp,
        /// Thread that logged the message; NULL if unknown. Join with `thread` on `utid`.
        utid: Option<u32> => JoinId("thread"),
        /// Priority. Android: from 2 (verbose) over 4 (info) to 7 (fatal). Journal and kernel: from 0
        /// (emergency) to 7 (debug).
        prio: u32 => Long,
        /// Log of the message: `android_logcat`, `systemd_journald` or `dmesg`.
        log_source: StringId => String,
        /// Tag of the message: the name that its writer states.
        tag: StringId => String,
        /// Text of the message; for an event of the binary log, its arguments.
        msg: StringId => String,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}
