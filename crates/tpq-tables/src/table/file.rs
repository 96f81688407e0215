//! Files that processes have open.

use crate::StringId;

declare_table! {
    /// A file that a process had open when it was polled.
    table "filedescriptor" => FileDescriptorTable, FileDescriptorRow {
        /// Always 0.
        ufd: i64 => Long,
        /// The process's number for it.
        fd: i64 => Long,
        /// When.
        ts: Option<i64> => Timestamp,
        /// The process.
        upid: Option<u32> => JoinId("process"),
        /// The file.
        path: StringId => String,
    }
}
