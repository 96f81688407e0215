//! Tracks: the lines on which slices and counter values lie.

use crate::StringId;

declare_table! {
    /// A line of the timeline: of a thread, a process, a CPU, a counter, or of the trace at large.
    table "track" => TrackTable, TrackRow {
        /// Its name; NULL where the thread or process names it.
        name: StringId => String,
        /// What kind of track it is, which also says what its dimensions are.
        track_type as "type": StringId => String,
        /// The args that tell tracks of one kind apart: `utid`, `upid`, `cpu`…
        dimension_arg_set_id: Option<u32> => ArgSetId,
        /// The track it is shown under.
        parent_id: Option<u32> => JoinId("track"),
        /// What the trace says of where the track came from.
        source_arg_set_id: Option<u32> => ArgSetId,
        /// The machine it belongs to.
        machine_id: u32 => JoinId("machine"),
        /// Tracks with the same number may be shown as one.
        track_group_id: Option<u32> => Long,
        /// The thread it belongs to.
        utid: Option<u32> => JoinId("thread"),
        /// The process it belongs to.
        upid: Option<u32> => JoinId("process"),
        /// The CPU it belongs to.
        cpu: Option<u32> => Long,
        /// What its values count in, for counters.
        unit: StringId => String,
        /// What it is for.
        description: StringId => String,
        /// Whether it holds counter values rather than slices.
        is_counter: u32 => Bool,
    }
}
