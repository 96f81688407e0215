//! Args of typed messages and annotations of track events.

mod annotations;
mod chrome;
mod damaged;
mod extensions;
mod messages;

use tpq_testkit::{InternedData, Message, Packet};

use crate::imported::{Imported, TRACK, WRITER, recording};

/// The fields of `TrackEvent` and `TracePacket` that tests write.
pub mod field {
    pub const DEBUG_ANNOTATIONS: u32 = 4;
    pub const TASK_EXECUTION: u32 = 5;
    pub const LOG_MESSAGE: u32 = 21;
    pub const CHROME_USER_EVENT: u32 = 25;
    pub const CHROME_HISTOGRAM_SAMPLE: u32 = 28;
    pub const SOURCE_LOCATION_IID: u32 = 34;
    pub const CHROME_MOJO_EVENT_INFO: u32 = 38;
    pub const CHROME_ACTIVE_PROCESSES: u32 = 49;
    pub const SCREENSHOT: u32 = 50;
    pub const CORRELATION_ID: u32 = 52;
    pub const CHROME_TASK_ANNOTATOR: u32 = 1002;
    pub const FRAME_TREE_NODE_INFO: u32 = 1010;
    pub const ACTIVE_PROCESSES: u32 = 1042;
    pub const SCROLL_DELTAS: u32 = 1047;

    pub const MODULE_SYMBOLS: u32 = 61;
    pub const EXTENSION_DESCRIPTOR: u32 = 72;
}

/// Args: key, type and value, and the shorter key where it is another.
const ARGS: &str = "SELECT a.key || ' ' || a.value_type || ' ' || \
    coalesce(a.string_value, cast(a.int_value AS VARCHAR), cast(a.real_value AS VARCHAR), 'NULL') \
    || CASE WHEN a.flat_key = a.key THEN '' ELSE ' of ' || a.flat_key END \
    FROM slice s JOIN args a ON s.arg_set_id = a.arg_set_id ORDER BY s.ts, s.id, a.id";

/// Counts of what was lost.
const COUNTS: &str = "SELECT name || ' ' || cast(value AS VARCHAR) FROM stats WHERE value != 0 \
    AND name IN ('unknown_extension_fields', 'track_event_parser_errors', 'malformed_packets', \
    'interned_data_tokenizer_errors', 'json_parser_failure', 'empty_chrome_metadata') ORDER BY name";

/// An event without duration at `ts` with fields of its own.
pub fn event(ts: u64, fields: Message) -> Packet {
    let mut bytes = Message::new().uint(9, 3).uint(11, TRACK).into_bytes();
    bytes.extend(fields.into_bytes());
    Packet::new().sequence(WRITER).timestamp(ts).payload(11, Message::from_bytes(bytes))
}

/// The same, with what the writer interned.
pub fn event_with(ts: u64, interned: Message, fields: Message) -> Packet {
    event(ts, fields).interned(InternedData::from(interned)).flags(2)
}

/// A recording of packets.
pub fn packets(packets: impl IntoIterator<Item = Packet>) -> Imported {
    let start = Packet::new().sequence(WRITER).timestamp(1).flags(1);
    Imported::trace(recording().packet(start).packets(packets))
}

/// The lines of a query with one column.
pub fn lines(trace: &Imported, sql: &str) -> Vec<String> {
    trace.cells(sql).into_iter().flatten().collect()
}

/// The args of one event with fields of its own.
pub fn args(fields: Message) -> Vec<String> {
    lines(&packets([event(10, fields)]), ARGS)
}
