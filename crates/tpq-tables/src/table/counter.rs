//! Counter values.

declare_table! {
    /// The value a counter took at a time.
    table "counter" => CounterTable, CounterRow {
        /// When.
        ts: i64 => Timestamp,
        /// The counter.
        track_id: u32 => JoinId("track"),
        /// Its value, in the unit of the track.
        value: f64 => Double,
        /// More about it.
        arg_set_id: Option<u32> => ArgSetId,
    }
}
