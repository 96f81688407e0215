//! Formats other than Perfetto's, JSON and the text of the kernel's tracer: small files of each, and
//! the rows that they become.

mod art_methods;
mod bug_reports;
mod containers;
mod documents;
mod fuchsia;
mod heap_snapshot;
mod hprof;
mod instruments;
mod logs;
mod mutations;
mod ninja;
mod otlp_protobuf;
mod perf_data;
mod primes;
mod profiles;
mod recorded;
mod strace;
mod trace_cmd;

use crate::imported::Imported;

/// Samples with their call stacks, from the outermost function to the innermost.
const SAMPLES: &str = "WITH RECURSIVE stack(id, next, names) AS ( \
    SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c \
    JOIN stack_profile_frame f ON f.id = c.frame_id \
    UNION ALL SELECT stack.id, c.parent_id, f.name || ';' || names FROM stack \
    JOIN stack_profile_callsite c ON c.id = stack.next \
    JOIN stack_profile_frame f ON f.id = c.frame_id) \
    SELECT s.ts, tid, thread.name AS thread, names AS stack FROM cpu_profile_stack_sample s \
    JOIN thread USING (utid) LEFT JOIN stack ON stack.id = s.callsite_id AND next IS NULL \
    ORDER BY s.ts, s.id";

/// Values of profiles without times, by call stack.
const VALUES: &str = "WITH RECURSIVE stack(id, next, names) AS ( \
    SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c \
    JOIN stack_profile_frame f ON f.id = c.frame_id \
    UNION ALL SELECT stack.id, c.parent_id, f.name || ';' || names FROM stack \
    JOIN stack_profile_callsite c ON c.id = stack.next \
    JOIN stack_profile_frame f ON f.id = c.frame_id) \
    SELECT p.name, sample_type_type AS type, sample_type_unit AS unit, names AS stack, value \
    FROM __intrinsic_aggregate_sample s \
    JOIN __intrinsic_aggregate_profile p ON p.id = s.aggregate_profile_id \
    JOIN stack ON stack.id = s.callsite_id AND next IS NULL ORDER BY s.id";

/// Slices with their threads.
const SLICES: &str = "SELECT ts, dur, depth, slice.name, tid, thread.name AS thread FROM slice \
    JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) \
    ORDER BY ts, slice.id";

/// The positions of what is wrong in a file.
const PLACES: &str = "SELECT l.name, \
    max(CASE WHEN flat_key = 'line' THEN int_value END) AS line, \
    max(CASE WHEN flat_key = 'what' THEN string_value END) AS what \
    FROM trace_import_logs l LEFT JOIN args USING (arg_set_id) GROUP BY l.id, l.name ORDER BY l.id";

/// The format of the only file, and the clock of the timeline.
fn kind_and_clock(trace: &Imported) -> (String, Vec<Vec<String>>) {
    let clock = "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'";
    (trace.cell("SELECT trace_type FROM trace_file"), trace.cells(clock))
}
