//! Clocks and what ties them.

use crate::StringId;

declare_table! {
    /// Value of one clock in a clock snapshot: clocks that were read at one moment.
    table "clock_snapshot" => ClockSnapshotTable, ClockSnapshotRow {
        /// Moment of the snapshot, ns in trace time.
        ts: i64 => Timestamp,
        /// Clock id: up to 63 builtin, 64 to 127 scoped to one sequence, others global to the
        /// trace.
        clock_id: i64 => Long,
        /// Name of the clock; NULL if it has none.
        clock_name: StringId => String,
        /// Value of the clock, ns.
        clock_value: i64 => Long,
        /// Number of the snapshot; clocks with the same number were read together.
        snapshot_id: u32 => Long,
        /// Machine of the clock; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
        /// Trace file of the clock; join with `trace_file` on `id`.
        trace_id: u32 => JoinId("trace_file"),
        /// Source of the value: `snapshot`, `remote_clock_sync`, `ftrace`, `manifest`; or the
        /// assumption where nothing states it: `realtime` (wall time is the same on both machines),
        /// `same_domain` (clocks with the same id are the same clock), `private_timeline` (a file
        /// without a clock begins at the start of the timeline).
        origin: StringId => String,
    }
}

declare_table! {
    /// Drift of a clock against another clock that was read in the same snapshots.
    table "clock_drift" => ClockDriftTable, ClockDriftRow {
        /// Id of the measured clock.
        clock_id: i64 => Long,
        /// Name of the measured clock; NULL if it has none.
        clock_name: StringId => String,
        /// Machine of the measured clock; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
        /// Trace file of the measured clock; join with `trace_file` on `id`.
        trace_id: u32 => JoinId("trace_file"),
        /// Sequence of the measured clock, if it is scoped to one; NULL otherwise.
        sequence: Option<i64> => Long,
        /// Id of the reference clock.
        by_clock_id: i64 => Long,
        /// Name of the reference clock; NULL if it has none.
        by_clock_name: StringId => String,
        /// Machine of the reference clock; join with `machine` on `id`.
        by_machine_id: u32 => JoinId("machine"),
        /// Number of snapshots that contain both clocks.
        snapshots: i64 => Long,
        /// Advance of the clock while the reference clock advances by 1: the median over all
        /// snapshots; NULL if there is only one snapshot.
        rate: Option<f64> => Double,
        /// Deviation of the rate from 1, parts per million; NULL for a tick counter of unknown
        /// frequency.
        ppm: Option<f64> => Double,
        /// Largest distance of a snapshot from that rate between jumps, ns.
        max_residual: i64 => Duration,
        /// Number of jumps of the clock, such as suspends and steps of wall time; see `clock_jump`.
        jumps: i64 => Long,
    }
}

declare_table! {
    /// A jump of one clock against another, such as a suspend or a step of wall time.
    table "clock_jump" => ClockJumpTable, ClockJumpRow {
        /// First snapshot after the jump, ns in trace time.
        ts: i64 => Timestamp,
        /// Size of the jump, ns; negative if the clock went back.
        size: i64 => Duration,
        /// Pair of clocks; join with `clock_drift` on `id`.
        clock_drift_id: u32 => JoinId("clock_drift"),
    }
}
