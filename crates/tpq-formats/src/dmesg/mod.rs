//! The log of the kernel, as `dmesg` prints it: lines with the seconds since boot, and with `-r` the
//! priority.
//!
//! ```text
//! <6>[    0.123456] Linux version 6.1
//! ```
//!
//! Further lines of a message are indented.

mod log_lines;

use std::borrow::Cow;

use tpq_clock::MONOTONIC;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::table::LogRow;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::track::Trackers;

use self::log_lines::KernelLines;
pub(crate) use self::log_lines::KernelMessage;
use crate::text::{TextReader, lines, text_of};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

/// Runs of messages.
pub(crate) const MESSAGES: RunKind = format_run_kind(15);
const SOURCE: &str = "dmesg";
/// The priority of messages that state none: information.
const INFO: u32 = 6;

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(MONOTONIC), open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(MESSAGES, decode_message)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    OpenedFile { reader: Box::new(TextReader::new(file, KernelLines)), work: None }
}

/// The lines of a message, without the white space around each.
fn without_indents(text: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\n', text).is_none() {
        return text_of(text);
    }
    let lines: Vec<Cow<'_, str>> = lines(text).map(|line| text_of(line.trim_ascii())).collect();
    Cow::Owned(lines.join("\n"))
}

fn decode_message(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let Some(message) = KernelMessage::parse(event.message()) else { return };
    trackers.bounds.include(event.ts);
    let row = LogRow {
        ts: event.ts,
        utid: None,
        prio: message.priority.unwrap_or(INFO),
        log_source: tables.strings.intern(SOURCE),
        tag: message.tag.map_or(StringId::NULL, |tag| tables.strings.intern_bytes(tag)),
        msg: tables.strings.intern(&without_indents(message.text)),
        arg_set_id: None,
    };
    tables.logs.push(row);
}
