//! The longest slice of each name.

use serde_json::Value;
use tpq::Trace;

use super::section::section;

/// The reason why sections about slices are empty.
pub const NO_SLICES: &str = "The trace has no slices with a duration. Programs record them as \
    track events, and Android's system as atrace categories.";

const SQL: &str = "SELECT slice.name, \
    coalesce(thread.name, 'tid ' || thread.tid, track.name, track.type) AS track, \
    coalesce(process.name, '') AS process, slice.dur, slice.ts, slice.number \
    FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY dur DESC, id) AS place, \
    count(*) OVER (PARTITION BY name) AS number FROM slice WHERE dur > 0) AS slice \
    LEFT JOIN track ON track.id = slice.track_id \
    LEFT JOIN thread_track ON thread_track.id = slice.track_id \
    LEFT JOIN thread USING (utid) LEFT JOIN process USING (upid) \
    WHERE place = 1 ORDER BY slice.dur DESC, slice.id LIMIT 30";

/// The name, track, process, duration and start of the longest slice of each name, and the number of
/// slices of this name.
pub async fn longest(trace: &Trace) -> anyhow::Result<Value> {
    section(trace, SQL, NO_SLICES).await
}
