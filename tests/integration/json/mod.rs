//! Traces in Chrome's JSON: one file for each part of the format. Times in the texts are
//! microseconds, those in the rows nanoseconds.

mod async_events;
mod broken;
mod counters;
mod cpu_profiles;
mod flows;
mod instants;
mod kineto;
mod mutations;
mod shapes;
mod slices;
mod stacks;
mod system_lines;
mod thread_states;
mod threads_and_processes;
mod trace_metadata;

use crate::imported::Imported;

/// Slices, the outer before the inner.
const SLICES: &str =
    "SELECT ts, dur, depth, name, category AS cat FROM slice ORDER BY ts, depth, id";

/// Slices with the kind of track they lie on.
const SLICES_ON_TRACKS: &str = "SELECT ts, dur, depth, slice.name, track.type, utid, upid, \
    track.name AS track FROM slice JOIN track ON slice.track_id = track.id \
    LEFT JOIN thread_track ON thread_track.id = track.id \
    LEFT JOIN process_track ON process_track.id = track.id ORDER BY ts, slice.id";

/// Counts that are not 0.
const STATS: &str = "SELECT name, value FROM stats WHERE value != 0 AND name NOT LIKE '%duration%' \
    ORDER BY name";

/// Errors in a text, with their locations.
const ERRORS: &str = "SELECT l.name, byte_offset, \
    max(CASE WHEN key = 'line' THEN int_value END) AS line, \
    max(CASE WHEN key = 'column' THEN int_value END) AS col, \
    max(CASE WHEN key = 'what' THEN string_value END) AS what \
    FROM trace_import_logs l JOIN args USING (arg_set_id) GROUP BY l.id, l.name, byte_offset ORDER BY l.id";

/// The events of an array, imported.
fn events(events: &str) -> Imported {
    Imported::file(format!("[{events}]"))
}
