//! Lines of the kernel's tracer, which `systemTraceEvents` holds as one string.

use std::borrow::Cow;

use tpq_tables::{Stats, Tables};

use super::text::unescaped;
use crate::systrace::{decode_line, line_time};
use tpq_decode::RunEvent;
use tpq_trackers::track::Trackers;

/// A line without the escapes of the string it lies in.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    match line.contains(&b'\\') {
        true => Cow::Owned(unescaped(line).into_bytes()),
        false => Cow::Borrowed(line),
    }
}

/// When a line was written, in ns.
pub(super) fn time_of(line: &[u8]) -> Option<i64> {
    line_time(&plain(line))
}

/// Decodes one line.
pub(crate) fn decode_system_line(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    trackers.processes.idle_is_zero(event.machine, tables);
    let line = plain(event.message());
    decode_line(&line, event.ts, event.machine, trackers, tables, stats);
}
