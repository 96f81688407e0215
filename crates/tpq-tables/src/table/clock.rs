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
        /// The trace file whose clock it is.
        trace_id: u32 => JoinId("trace_file"),
        /// What says so: `snapshot`, `remote_clock_sync`, `ftrace`, `manifest`; or what was assumed
        /// where nothing does: `realtime` (wall time is the same on both machines), `same_domain`
        /// (clocks of one id are the same clock), `private_timeline` (a file without a clock
        /// begins where the timeline does).
        origin: StringId => String,
    }
}

declare_table! {
    /// How two clocks that were read together drift from each other.
    table "clock_drift" => ClockDriftTable, ClockDriftRow {
        /// The clock that is measured.
        clock_id: i64 => Long,
        /// Its name, where it has one.
        clock_name: StringId => String,
        /// The machine it ticks on.
        machine_id: u32 => JoinId("machine"),
        /// The trace file it was read in.
        trace_id: u32 => JoinId("trace_file"),
        /// The writer sequence whose own clock it is, if it is one's own.
        sequence: Option<i64> => Long,
        /// The clock it is measured by.
        by_clock_id: i64 => Long,
        /// That clock's name, where it has one.
        by_clock_name: StringId => String,
        /// The machine that clock ticks on.
        by_machine_id: u32 => JoinId("machine"),
        /// How often the two were read together.
        snapshots: i64 => Long,
        /// How far the clock goes while the one it is measured by goes 1: the median over the
        /// snapshots; NULL when one snapshot is all there is.
        rate: Option<f64> => Double,
        /// That rate as what it is above 1, in millionths; NULL for a counter of ticks, whose length
        /// is not known.
        ppm: Option<f64> => Double,
        /// How far the worst snapshot lies from that rate, in ns, between jumps.
        max_residual: i64 => Duration,
        /// How often the clock jumped: a suspend, a step of wall time. See `clock_jump`.
        jumps: i64 => Long,
    }
}

declare_table! {
    /// A jump of one clock against another: a suspend, or a step of wall time.
    table "clock_jump" => ClockJumpTable, ClockJumpRow {
        /// The first snapshot after it.
        ts: i64 => Timestamp,
        /// How far the clock moved beyond its rate; negative when it went back.
        size: i64 => Duration,
        /// The row of `clock_drift` it belongs to.
        clock_drift_id: u32 => JoinId("clock_drift"),
    }
}
