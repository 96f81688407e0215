//! Files that processes have open.

use crate::StringId;

declare_table! {
    /// A file that a process had open when the recorder polled it.
    table "filedescriptor" => FileDescriptorTable, FileDescriptorRow {
        /// Not filled: always 0.
        ufd: i64 => Long,
        /// File descriptor, unique within the process.
        fd: i64 => Long,
        /// Time of the poll, ns in trace time.
        ts: Option<i64> => Timestamp,
        /// Process; join with `process` on `upid`.
        upid: Option<u32> => JoinId("process"),
        /// Path of the file.
        path: StringId => String,
    }
}
