//! Slices and the flows between them.

use crate::StringId;

declare_table! {
    /// Something that took time on a track, nested in what was going on there.
    table "slice" => SliceTable, SliceRow {
        /// When it began.
        ts: i64 => Timestamp,
        /// How long it took; 0 for an instant, -1 when its end was not seen.
        dur: i64 => Duration,
        /// The track it lies on.
        track_id: u32 => JoinId("track"),
        /// Its categories, separated by commas.
        category: StringId => String,
        /// What it is.
        name: StringId => String,
        /// How many slices of the track it lies in.
        depth: u32 => Long,
        /// The slice it lies in.
        parent_id: Option<u32> => JoinId("slice"),
        /// Its arguments.
        arg_set_id: Option<u32> => ArgSetId,
        /// The thread's CPU time when it began.
        thread_ts: Option<i64> => Timestamp,
        /// The thread's CPU time it took.
        thread_dur: Option<i64> => Duration,
        /// The thread's count of instructions when it began.
        thread_instruction_count: Option<i64> => Long,
        /// The instructions it took.
        thread_instruction_delta: Option<i64> => Long,
    }
}

declare_table! {
    /// An arrow from one slice to another: the first caused the second.
    table "flow" => FlowTable, FlowRow {
        /// Where it starts.
        slice_out: u32 => JoinId("slice"),
        /// Where it ends.
        slice_in: u32 => JoinId("slice"),
        /// The id the trace gave the flow, where it gave one.
        trace_id: Option<i64> => Long,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}

declare_table! {
    /// What something of a program was in, from one moment until it was in something else.
    table "state" => StateTable, StateRow {
        /// When it began.
        ts: i64 => Timestamp,
        /// How long it lasted; -1 when its end was not seen.
        dur: i64 => Duration,
        /// The track it lies on.
        track_id: u32 => JoinId("track"),
        /// Its categories, separated by commas.
        category: StringId => String,
        /// The state.
        value: StringId => String,
        /// Its arguments.
        arg_set_id: Option<u32> => ArgSetId,
    }
}

declare_table! {
    /// An event of Chrome's older form that has no meaning of its own, as it was recorded.
    table "__intrinsic_chrome_raw" => ChromeRawTable, ChromeRawRow {
        /// When it happened.
        ts: i64 => Timestamp,
        /// What it is: `track_event.legacy_event`.
        name: StringId => String,
        /// The thread it is of.
        utid: u32 => JoinId("thread"),
        /// What it says.
        arg_set_id: Option<u32> => ArgSetId,
    }
}
