//! Counter values.

use crate::ArgSetNumber;

declare_table! {
    /// Value of a counter at a point in time.
    table "counter" of Tracks => CounterTable, CounterRow {
        /// Time of the value, ns in trace time.
        ts: i64 => Timestamp,
        /// Track of the counter; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// Value of the counter, in the unit of its track.
        value: f64 => Double,
        /// Arguments; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
    }
}
