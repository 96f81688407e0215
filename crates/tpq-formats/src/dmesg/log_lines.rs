//! Lines of the log.

use tpq_ingest::Loss;

use super::MESSAGES;
use crate::text::{Item, TextEvents, number, seconds, split_once, trim_line};

/// A message of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KernelMessage<'a> {
    /// Time, ns since boot.
    pub(crate) ts: i64,
    /// Priority from 0 (emergency) to 7 (debug), if it is stated.
    pub(super) priority: Option<u32>,
    /// The part of the kernel that wrote it: a word before a colon.
    pub(super) tag: Option<&'a [u8]>,
    /// Text. Lines after the first are indented.
    pub(super) text: &'a [u8],
}

impl<'a> KernelMessage<'a> {
    pub(crate) fn parse(line: &'a [u8]) -> Option<Self> {
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

/// Divides the log into messages: a line, and the indented lines behind it.
pub(super) struct KernelLines;

impl TextEvents for KernelLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len = text.len() - rest.len();
        if trim_line(line).is_empty() {
            return (len, Item::Nothing);
        }
        match KernelMessage::parse(line) {
            Some(message) => {
                let len = len + len_of_indented(rest);
                (len, Item::Event { kind: MESSAGES, ts: message.ts })
            }
            None => {
                let what = "this line does not begin with seconds in brackets";
                (len, Item::Malformed(Loss::MalformedRecord, what))
            }
        }
    }
}

/// The number of bytes of the indented lines at the start of a text. Empty lines end them.
fn len_of_indented(text: &[u8]) -> usize {
    let mut rest = text;
    while rest.first().is_some_and(|&byte| matches!(byte, b' ' | b'\t')) {
        let (line, after) = split_once(rest, b'\n').unwrap_or((rest, &[]));
        if trim_line(line).is_empty() {
            break;
        }
        rest = after;
    }
    text.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_are_of_the_message_before() {
        let text = b"[1.0] a\n  b\n\tc\n[2.0] d\n  e";
        let mut lens = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (len, item) = KernelLines.next(rest);
            assert!(matches!(item, Item::Event { .. }), "{item:?}");
            lens.push(len);
            at += len;
        }
        assert_eq!(lens, [15, 11]);
        assert_eq!(len_of_indented(b"  \n  b\n"), 0);
    }

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
