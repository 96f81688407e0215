//! Lines of the log.

use tpq_ingest::Loss;

use super::MESSAGES;
use crate::text::{Item, TextEvents, number, seconds, split_once, trim_line};

/// A message of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KernelMessage<'a> {
    /// Time, ns since boot.
    pub(super) ts: i64,
    /// Priority from 0 (emergency) to 7 (debug), if it is stated.
    pub(super) priority: Option<u32>,
    /// The part of the kernel that wrote it: a word before a colon.
    pub(super) tag: Option<&'a [u8]>,
    /// Text.
    pub(super) text: &'a [u8],
}

impl<'a> KernelMessage<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        let line = trim_line(line);
        let (priority, line) = match line.strip_prefix(b"<") {
            Some(rest) => {
                let (level, rest) = split_once(rest, b'>')?;
                // Bits above the lowest three are the facility.
                (Some(number::<u32>(level)? & 7), rest)
            }
            None => (None, line),
        };
        let (time, rest) = split_once(line.strip_prefix(b"[")?, b']')?;
        let ts = seconds(time.trim_ascii_start())?;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let (tag, text) = tag_and_text(rest);
        Some(Self { ts, priority, tag, text })
    }
}

/// The tag in `tag: text`, if there is one: a word.
fn tag_and_text(rest: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(end) = memchr::memmem::find(rest, b": ") else { return (None, rest) };
    let (tag, text) = rest.split_at(end);
    match tag.is_empty() || tag.iter().any(u8::is_ascii_whitespace) {
        true => (None, rest),
        false => (Some(tag), text.get(2..).unwrap_or_default()),
    }
}

/// Divides the log into messages.
pub(super) struct KernelLines;

impl TextEvents for KernelLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len = text.len() - rest.len();
        if trim_line(line).is_empty() {
            return (len, Item::Nothing);
        }
        let item = match KernelMessage::parse(line) {
            Some(message) => Item::Event { kind: MESSAGES, ts: message.ts },
            None => {
                let what = "this line does not begin with seconds in brackets";
                Item::Malformed(Loss::MalformedRecord, what)
            }
        };
        (len, item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_their_parts() {
        let message = |line: &'static str| {
            let message = KernelMessage::parse(line.as_bytes())?;
            let text = |bytes| std::str::from_utf8(bytes).unwrap_or("?");
            let tag = message.tag.map(text);
            Some((message.ts / 1000, message.priority, tag, text(message.text)))
        };
        assert_eq!(message("[    0.000005] hello"), Some((5, None, None, "hello")));
        assert_eq!(
            message("<6>[   12.5] usb 1-1: new"),
            Some((12_500_000, Some(6), None, "usb 1-1: new"))
        );
        assert_eq!(
            message("<30>[1.0] ata1: up: x"),
            Some((1_000_000, Some(6), Some("ata1"), "up: x"))
        );
        assert_eq!(message("[1.0]"), Some((1_000_000, None, None, "")));
        for line in ["", "hello", "[x] y", "<x>[1.0] y", "[1.0 y", "[1] y"] {
            assert_eq!(message(line), None, "{line}");
        }
    }
}
