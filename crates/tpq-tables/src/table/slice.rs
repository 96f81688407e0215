//! Slices and the flows between them.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A span of time on a track, such as a function call; slices of a track nest.
    table "slice" of Tracks => SliceTable, SliceRow {
        /// Start of the slice, ns in trace time.
        ts: i64 => Timestamp,
        /// Duration, ns; 0 for an instant, -1 if the end was not recorded.
        dur: i64 => Duration,
        /// Track of the slice; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// Categories of the slice, separated by commas; NULL for none.
        category: StringId => String,
        /// Name of the slice.
        name: StringId => String,
        /// Number of slices on the same track that enclose this one; 0 at the top.
        depth: u32 => Long,
        /// Slice that encloses this one; join with `slice` on `id`; NULL at the top.
        parent_id: Option<u32> => JoinId("slice"),
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// CPU time of the thread at the start of the slice, ns; NULL if not recorded.
        thread_ts: Option<i64> => Timestamp,
        /// CPU time of the thread during the slice, ns; NULL if not recorded.
        thread_dur: Option<i64> => Duration,
        /// Instruction count of the thread at the start of the slice; NULL if not recorded.
        thread_instruction_count: Option<i64> => Long,
        /// Instructions of the thread during the slice; NULL if not recorded.
        thread_instruction_delta: Option<i64> => Long,
    }
}

declare_table! {
    /// An arrow from one slice to another: the first caused the second.
    table "flow" of Tracks => FlowTable, FlowRow {
        /// Slice at the start of the arrow; join with `slice` on `id`.
        slice_out: u32 => JoinId("slice"),
        /// Slice at the end of the arrow; join with `slice` on `id`.
        slice_in: u32 => JoinId("slice"),
        /// Flow id as recorded; NULL if it has none.
        trace_id: Option<i64> => Long,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}

declare_table! {
    /// A span of time in which something is in one state, until the next state begins.
    table "state" of Tracks => StateTable, StateRow {
        /// Start of the state, ns in trace time.
        ts: i64 => Timestamp,
        /// Duration, ns; -1 if the end was not recorded.
        dur: i64 => Duration,
        /// Track of the state; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// Categories of the state, separated by commas; NULL for none.
        category: StringId => String,
        /// Name of the state.
        value: StringId => String,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}

declare_table! {
    /// A legacy event of Chrome that is in no other table, as it was recorded.
    table "__intrinsic_chrome_raw" => ChromeRawTable, ChromeRawRow {
        /// Time of the event, ns in trace time.
        ts: i64 => Timestamp,
        /// Kind of the record, such as `track_event.legacy_event`; details are in its arguments.
        name: StringId => String,
        /// Thread of the event; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}
