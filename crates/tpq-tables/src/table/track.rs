//! Tracks: the lines on which slices and counter values lie.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A line of the timeline: of a thread, a process, a CPU, a counter, or the whole trace.
    table "track" of Tracks => TrackTable, TrackRow {
        /// Name of the track; NULL if its thread or process names it.
        name: StringId => String,
        /// Type of the track, which determines its dimensions.
        track_type as "type": StringId => String,
        /// Dimensions that distinguish tracks of one type, such as `utid`, `upid` and `cpu`; join
        /// with `args` on `arg_set_id`.
        dimension_arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Parent of the track; join with `track` on `id`; NULL at the top.
        parent_id: Option<u32> => JoinId("track"),
        /// Facts about the origin of the track; join with `args` on `arg_set_id`.
        source_arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Machine of the track; join with `machine` on `id`.
        machine_id: u32 => JoinId("machine"),
        /// Number of a group of tracks that can be shown as one; NULL if it is in no group.
        track_group_id: Option<u32> => Long,
        /// Thread of the track; NULL for other tracks. Join with `thread` on `utid`.
        utid: Option<u32> => JoinId("thread"),
        /// Process of the track; NULL for other tracks. Join with `process` on `upid`.
        upid: Option<u32> => JoinId("process"),
        /// CPU of the track; NULL for other tracks.
        cpu: Option<u32> => Long,
        /// Unit of the values; NULL for tracks that are not counters.
        unit: StringId => String,
        /// Description of the track; NULL if it has none.
        description: StringId => String,
        /// Whether the track holds counter values rather than slices.
        is_counter: u32 => Bool,
    }
}
