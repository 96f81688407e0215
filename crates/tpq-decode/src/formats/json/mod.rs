//! Chrome JSON, as Chrome wrote it once and a hundred tools write it still.
//!
//! The format has no owner; what fields mean where programs disagree is as the established tool
//! reads them.

mod counter;
pub(crate) mod event;
mod flow;
mod metadata;
mod system_line;
mod text;
mod who;

pub(crate) use event::decode_event;
pub(crate) use system_line::decode_system_line;

use tpq_ingest::{
    FileContext, JsonEvent, JsonKinds, JsonReader, Payload, Run, Span, Timeline, TraceBytes,
};

use super::{JSON_EVENTS, JSON_LINES};

/// A reader of a JSON trace whose events the decoder knows.
pub fn json_reader<'a>(
    bytes: &'a TraceBytes<'a>,
    file: FileContext,
    timeline: Timeline,
) -> JsonReader<'a> {
    let kinds = JsonKinds { events: JSON_EVENTS, lines: JSON_LINES };
    JsonReader::new(bytes, file, timeline, kinds, system_line::time_of)
}

/// Where the text of an event lies, if it is one of a JSON trace.
pub(crate) fn text_of(run: &Run, index: usize) -> Option<Span> {
    match &run.payload {
        Payload::Words { width, words, strings, .. } if run.kind == JSON_EVENTS => {
            JsonEvent::text_of(words.get(index * width..)?, strings)
        }
        _ => None,
    }
}
