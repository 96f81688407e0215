//! Text of Android's log, as `logcat` prints it and bug reports contain it:
//!
//! ```text
//! 12-13 10:32:20.030    20    21 I auditd  : a message
//! ```
//!
//! Formats without times are not read. Wall time has no year unless it was asked for, and is taken
//! to be UTC unless a zone is stated; in a bug report both are those of the report.

mod log_lines;
mod message;
mod stamp;

use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::table::LogRow;
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::{Tid, Trackers};

use self::log_lines::LogLines;
pub(crate) use self::message::LogMessage;
pub(crate) use self::stamp::Stamp;
use crate::text::TextReader;
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

/// Runs of messages.
pub(crate) const MESSAGES: RunKind = format_run_kind(6);
const SOURCE: &str = "android_logcat";

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(REALTIME), open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(MESSAGES, decode_message)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let report = file.report.as_ref().map(|report| report.date);
    let reader = TextReader::new(file, LogLines { report });
    OpenedFile { reader: Box::new(reader), work: None }
}

fn decode_message(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let Some(message) = LogMessage::parse(event.message()) else { return };
    let tid = |id: u32| Tid { machine: event.machine, id: i64::from(id) };
    let utid = match message.tid {
        Some(thread) => trackers.processes.thread_of_process(tid(thread), tid(message.pid), tables),
        None => trackers.processes.thread_of_process(tid(message.pid), tid(message.pid), tables),
    };
    trackers.bounds.include(event.ts);
    let row = LogRow {
        ts: event.ts,
        utid: Some(utid),
        prio: message.priority,
        log_source: tables.strings.intern(SOURCE),
        tag: tables.strings.intern_bytes(message.tag),
        msg: tables.strings.intern_bytes(message.text),
        arg_set_id: None,
    };
    tables.logs.push(row);
}
