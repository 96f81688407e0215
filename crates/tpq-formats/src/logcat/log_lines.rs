//! Divides a log into messages.

use tpq_ingest::Loss;
use tpq_source::ReportDate;

use super::MESSAGES;
use super::message::LogMessage;
use super::stamp::Stamp;
use crate::text::{Item, TextEvents, split_once, trim_line};

/// What a line begins with that states which buffer of the log follows.
const MARKER: &[u8] = b"---";

/// Divides a log into messages: lines, or a header and the lines up to an empty one.
pub(super) struct LogLines {
    /// The date of the bug report that the log is part of.
    pub(super) report: Option<ReportDate>,
}

impl TextEvents for LogLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let (line, mut len) = (trim_line(line), text.len() - rest.len());
        if line.is_empty() || line.starts_with(MARKER) {
            return (len, Item::Nothing);
        }
        if Stamp::of_long_header(line).is_some() {
            len += len_of_paragraph(rest);
        }
        let message = text.get(..len).and_then(LogMessage::parse);
        match message {
            Some(message) => {
                (len, Item::Event { kind: MESSAGES, ts: message.stamp.ts(self.report) })
            }
            None => {
                let what = "this line has no time, thread, priority and tag that can be read";
                (len, Item::Malformed(Loss::MalformedLogLine, what))
            }
        }
    }
}

/// The number of bytes up to the next empty line, with that line. The next header ends a paragraph
/// as well: the last message before it may be cut.
fn len_of_paragraph(text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((line, after)) = split_once(rest, b'\n') {
        if Stamp::of_long_header(trim_line(line)).is_some() {
            break;
        }
        rest = after;
        if trim_line(line).is_empty() {
            return text.len() - rest.len();
        }
    }
    match memchr::memchr(b'\n', rest) {
        Some(_) => text.len() - rest.len(),
        None => text.len(),
    }
}
