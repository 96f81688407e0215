//! The recording itself: statistics, metadata, files and clocks.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A counter of the recording or of the import: lost data, errors and other facts.
    table "stats" of Counts => StatsTable, StatsRow {
        /// Name of the stat.
        name: StringId => String,
        /// Index of the stat in the catalogue of this version; join by `name` instead.
        key: i64 => Long,
        /// CPU, buffer or other index, for stats with one value for each; NULL for others.
        idx: Option<i64> => Long,
        /// `info`, `notice`, `data_loss` or `error`.
        severity: StringId => String,
        /// `trace` if the trace states the value, `analysis` if the import counted it.
        source: StringId => String,
        /// Value of the stat.
        value: i64 => Long,
        /// Meaning of the stat and what to do about it.
        description: StringId => String,
        /// Machine of the value; join with `machine` on `id`; NULL if it concerns the whole import.
        machine_id: Option<u32> => JoinId("machine"),
        /// Trace file of the value; join with `trace_file` on `id`; NULL if it concerns the whole
        /// import.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A fact about the trace or the system that it was recorded on.
    table "metadata" => MetadataTable, MetadataRow {
        /// Name of the fact.
        name: StringId => String,
        /// `single` if the fact has one value, `multi` if it can have several.
        key_type: StringId => String,
        /// Value, if it is a number; NULL otherwise.
        int_value: Option<i64> => Long,
        /// Value, if it is text; NULL otherwise.
        str_value: StringId => String,
        /// Machine of the fact; join with `machine` on `id`; NULL if it concerns the whole import.
        machine_id: Option<u32> => JoinId("machine"),
        /// Trace file of the fact; join with `trace_file` on `id`; NULL if it concerns the whole
        /// import.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A file that was imported, or a member of an archive.
    table "trace_file" => TraceFileTable, TraceFileRow {
        /// Archive of the file; join with `trace_file` on `id`; NULL for a file of its own.
        parent_id: Option<u32> => JoinId("trace_file"),
        /// Name of the file in its archive; NULL for a file of its own.
        name: StringId => String,
        /// Size, bytes.
        size: i64 => Long,
        /// Format of the file.
        trace_type: StringId => String,
        /// Position of the file in the order of import; NULL if unknown.
        processing_order: Option<i64> => Long,
    }
}

declare_table! {
    /// First and last timestamp of the trace; always one row.
    table "trace_bounds" of Tracks => TraceBoundsTable, TraceBoundsRow {
        /// First timestamp, ns in trace time.
        start_ts: i64 => Timestamp,
        /// Last timestamp, ns in trace time.
        end_ts: i64 => Timestamp,
    }
}

declare_table! {
    /// A problem during the import, with its location.
    table "trace_import_logs" of Counts => ImportLogTable, ImportLogRow {
        /// Trace file of the problem; join with `trace_file` on `id`.
        trace_id: u32 => JoinId("trace_file"),
        /// Time of the problem, ns in trace time; NULL if unknown.
        ts: Option<i64> => Timestamp,
        /// Offset in the file, bytes; NULL if unknown.
        byte_offset: Option<i64> => Long,
        /// Severity of the problem, as in `stats`.
        severity: StringId => String,
        /// Stat that counts the problem; join with `stats` on `name`.
        name: StringId => String,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}
