//! Losses of a recording, and the contents of its buffers.

use crate::StringId;

declare_table! {
    /// Data that was recorded, or should have been, and is not in the tables: what, where, when,
    /// and how to avoid the loss in the next recording.
    table "data_loss" of Counts => DataLossTable, DataLossRow {
        /// Kind of loss, such as `ring_buffer_wrapped` or `kernel_buffer_overrun`.
        kind: StringId => String,
        /// `data_loss`, or `notice` for a risk of loss.
        severity: StringId => String,
        /// Description of the lost data.
        what: StringId => String,
        /// Change of the configuration that avoids the loss, with the numbers that this recording
        /// needed.
        remedy: StringId => String,
        /// Last moment before the loss, or first moment it can affect, ns in trace time; NULL if
        /// unknown.
        ts: Option<i64> => Timestamp,
        /// First moment after the loss, or last moment it can affect, ns in trace time; NULL if
        /// unknown.
        ts_end: Option<i64> => Timestamp,
        /// Amount of lost data, in `unit`; NULL if it was not counted.
        amount: Option<i64> => Long,
        /// Unit of `amount`: `bytes`, `chunks`, `packets` or `events`.
        unit: StringId => String,
        /// Stat that counts the loss; join with `stats` on `name`.
        stat: StringId => String,
        /// Central buffer that lost the data; NULL if not in a central buffer.
        buffer: Option<i64> => Long,
        /// CPU that lost the data; NULL if not on one CPU.
        cpu: Option<i64> => Long,
        /// Sequence that lost the data; NULL if not on one sequence.
        sequence_id: Option<i64> => Long,
        /// Pid of the writer of the sequence; NULL if unknown.
        pid: Option<i64> => Long,
        /// Machine of the loss; join with `machine` on `id`; NULL if it concerns the whole import.
        machine_id: Option<u32> => JoinId("machine"),
        /// Trace file of the loss; join with `trace_file` on `id`; NULL if it concerns the whole
        /// import.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A central buffer of the recorder at the end of the recording.
    table "trace_buffer" => TraceBufferTable, TraceBufferRow {
        /// Number of the buffer in the configuration.
        buffer: u32 => Long,
        /// Policy when the buffer is full: `RING_BUFFER` or `DISCARD`.
        fill_policy: StringId => String,
        /// Data sources that write to the buffer, separated by commas.
        sources: StringId => String,
        /// Size of the buffer, bytes.
        size: i64 => Long,
        /// Data written to the buffer, bytes.
        written: i64 => Long,
        /// Written data that was lost, bytes; for `DISCARD` an estimate from the size of the kept
        /// data.
        lost: i64 => Long,
        /// Highest fill level as a fraction of the size, from 0 to 1. Data that was drained to a
        /// file counts as held.
        fill: f64 => Double,
        /// Data written per second including lost data, bytes; NULL if the length of the recording
        /// is unknown.
        write_rate: Option<f64> => Double,
        /// Start of the data that the buffer kept, ns in trace time; NULL if it kept none.
        ts: Option<i64> => Timestamp,
        /// End of the data that the buffer kept, ns in trace time; NULL if it kept none.
        ts_end: Option<i64> => Timestamp,
        /// Trace file of the buffer; join with `trace_file` on `id`.
        trace_id: u32 => JoinId("trace_file"),
    }
}

declare_table! {
    /// A setting of a configuration that makes a recording incomplete, slow or hard to read, though
    /// the recorder accepts it.
    table "__intrinsic_trace_diagnostics" of Counts => TraceDiagnosticsTable, TraceDiagnosticsRow {
        /// Kind of problem, such as `tiny_ftrace_buffer`.
        key: StringId => String,
        /// The problem in a few words.
        title: StringId => String,
        /// Settings of this recording that cause the problem, and their effect.
        description: StringId => String,
        /// Change of the configuration that avoids the problem.
        remediation: StringId => String,
        /// Certainty that the setting does harm, from 0 to 1; higher where the trace has losses
        /// that the setting explains.
        confidence: f64 => Double,
        /// Trace file of the configuration; join with `trace_file` on `id`.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A data source or kernel event that a configuration asks for, and whether the trace has any
    /// data of it.
    table "trace_request" of Counts => TraceRequestTable, TraceRequestRow {
        /// `data_source` or `kernel_event`.
        kind: StringId => String,
        /// Name in the configuration, such as `linux.ftrace` or `sched/sched_switch`.
        name: StringId => String,
        /// Whether the trace has data of it; NULL if the kind of its packets is unknown.
        is_recorded: Option<u32> => Bool,
        /// Trace file of the configuration; join with `trace_file` on `id`.
        trace_id: u32 => JoinId("trace_file"),
    }
}
