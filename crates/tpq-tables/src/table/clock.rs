//! Clocks and what ties them.

use crate::StringId;

declare_table! {
    /// What one clock read when several were read together.
    table "clock_snapshot" => ClockSnapshotTable, ClockSnapshotRow {
        /// That moment.
        ts: i64 => Timestamp,
        /// The clock's id in the trace: up to 63 builtin, 64 to 127 of one sequence, else global.
        clock_id: i64 => Long,
        /// Its name, where it has one.
        clock_name: StringId => String,
        /// What it read, in ns.
        clock_value: i64 => Long,
        /// Rows with the same number were read together.
        snapshot_id: u32 => Long,
        /// The machine whose clock it is.
        machine_id: u32 => JoinId("machine"),
    }
}
