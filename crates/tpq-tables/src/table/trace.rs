//! What is known of the recording itself.

use crate::StringId;

declare_table! {
    /// A count of something that happened while recording or importing.
    table "stats" => StatsTable, StatsRow {
        /// What was counted.
        name: StringId => String,
        /// A number for the name.
        key: i64 => Long,
        /// The CPU or buffer, for counts kept per CPU or buffer.
        idx: Option<i64> => Long,
        /// `info`, `notice`, `data_loss` or `error`.
        severity: StringId => String,
        /// `trace` when recorded in the trace, `analysis` when counted during import.
        source: StringId => String,
        /// The count.
        value: i64 => Long,
        /// What it means and what to do about it.
        description: StringId => String,
        /// The machine it is of; NULL where it is of the import as a whole.
        machine_id: Option<u32> => JoinId("machine"),
        /// The trace file it is of; NULL where it is of the import as a whole.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A fact about the trace or the system it was recorded on.
    table "metadata" => MetadataTable, MetadataRow {
        /// What it is.
        name: StringId => String,
        /// `single` when there is one value, `multi` when there may be several.
        key_type: StringId => String,
        /// The value, when it is a number.
        int_value: Option<i64> => Long,
        /// The value, when it is text.
        str_value: StringId => String,
        /// The machine it is of.
        machine_id: Option<u32> => JoinId("machine"),
        /// The trace file it is of.
        trace_id: Option<u32> => JoinId("trace_file"),
    }
}

declare_table! {
    /// A file that was imported, or a member of an archive.
    table "trace_file" => TraceFileTable, TraceFileRow {
        /// The archive it lies in.
        parent_id: Option<u32> => JoinId("trace_file"),
        /// Its name in the archive it lies in; NULL for a file of its own.
        name: StringId => String,
        /// Its size in bytes.
        size: i64 => Long,
        /// Its format.
        trace_type: StringId => String,
        /// Its place in the order of import.
        processing_order: Option<i64> => Long,
    }
}

declare_table! {
    /// The first and the last moment of the trace; always one row.
    table "trace_bounds" => TraceBoundsTable, TraceBoundsRow {
        /// The first moment.
        start_ts: i64 => Timestamp,
        /// The last moment.
        end_ts: i64 => Timestamp,
    }
}

declare_table! {
    /// Something that went wrong during import, and where.
    table "trace_import_logs" => ImportLogTable, ImportLogRow {
        /// The trace file it happened in.
        trace_id: u32 => JoinId("trace_file"),
        /// When, if a time was known.
        ts: Option<i64> => Timestamp,
        /// Where in the file, in bytes.
        byte_offset: Option<i64> => Long,
        /// How grave it is.
        severity: StringId => String,
        /// The stat it was counted in.
        name: StringId => String,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}
