//! What a recording lost, and what its buffers held.

use crate::StringId;

declare_table! {
    /// Something that was recorded, or should have been, and is not in the tables: what it is, where,
    /// between which moments, and what to change for the next recording.
    table "data_loss" => DataLossTable, DataLossRow {
        /// A word for the kind of loss, as `ring_buffer_wrapped` or `kernel_buffer_overrun`.
        kind: StringId => String,
        /// `data_loss`; or `notice` where nothing was lost yet but would be with bad luck.
        severity: StringId => String,
        /// What was lost, in words.
        what: StringId => String,
        /// What to change, in words, with the numbers that this recording would have needed.
        remedy: StringId => String,
        /// The last moment before the loss, or the first that it may concern.
        ts: Option<i64> => Timestamp,
        /// The first moment after the loss, or the last that it may concern.
        ts_end: Option<i64> => Timestamp,
        /// How much was lost, where it was counted.
        amount: Option<i64> => Long,
        /// What is counted: `bytes`, `chunks`, `packets` or `events`.
        unit: StringId => String,
        /// The stat that counts it.
        stat: StringId => String,
        /// The central buffer it was lost in.
        buffer: Option<i64> => Long,
        /// The CPU it was lost on.
        cpu: Option<i64> => Long,
        /// The writer sequence that lost it.
        sequence_id: Option<i64> => Long,
        /// The process that writer belongs to.
        pid: Option<i64> => Long,
        /// The machine it was lost on; NULL where it is of the import as a whole.
        machine_id: Option<u32> => JoinId("machine"),
        /// The trace file it is of; NULL where it is of the import as a whole.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A central buffer of the recorder, as it was at the end of the recording.
    table "trace_buffer" => TraceBufferTable, TraceBufferRow {
        /// Its number in the configuration.
        buffer: u32 => Long,
        /// What happens when it is full: `RING_BUFFER` or `DISCARD`.
        fill_policy: StringId => String,
        /// The data sources that write to it, separated by commas.
        sources: StringId => String,
        /// Its size, in bytes.
        size: i64 => Long,
        /// What was written to it, in bytes.
        written: i64 => Long,
        /// What of that was lost, in bytes; of a buffer that discards an estimate from the size of
        /// what it kept.
        lost: i64 => Long,
        /// What it held at its fullest, as a share of its size, from 0 to 1. What was drained into
        /// a file meanwhile counts as held.
        fill: f64 => Double,
        /// What was written a second, in bytes, what was lost included; NULL where the recorder
        /// does not say how long it recorded.
        write_rate: Option<f64> => Double,
        /// The first moment of which it kept anything.
        ts: Option<i64> => Timestamp,
        /// The last moment of which it kept anything.
        ts_end: Option<i64> => Timestamp,
        /// The trace file it was written to.
        trace_id: u32 => JoinId("trace_file"),
    }
}
