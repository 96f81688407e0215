//! A message of the log and its parts.

use super::stamp::Stamp;
use crate::text::{number, split_once, split_word, trim_line};

/// A message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LogMessage<'a> {
    /// Time, of the wall clock, or of the monotonic clock if the log was asked for it.
    pub(crate) stamp: Stamp,
    /// Process.
    pub(crate) pid: u32,
    /// Thread; `None` in formats that state only the process.
    pub(crate) tid: Option<u32>,
    /// Priority: from 2 (verbose) to 7 (fatal), 8 (silent), 0 if unknown.
    pub(crate) priority: u32,
    /// Tag.
    pub(crate) tag: &'a [u8],
    /// Text of the message.
    pub(crate) text: &'a [u8],
}

impl<'a> LogMessage<'a> {
    /// Reads a message in one of the formats `threadtime`, `time` and `long`.
    pub(crate) fn parse(event: &'a [u8]) -> Option<Self> {
        let (line, rest) = split_once(event, b'\n').unwrap_or((event, &[]));
        if let Some((stamp, header)) = Stamp::of_long_header(trim_line(line)) {
            return Self::long(stamp, header, rest);
        }
        let (stamp, rest) = Stamp::parse(trim_line(line))?;
        Self::thread_time(stamp, rest).or_else(|| Self::time(stamp, rest))
    }

    /// `[user] pid tid P tag: text`.
    fn thread_time(stamp: Stamp, rest: &'a [u8]) -> Option<Self> {
        let columns = |rest: &'a [u8]| {
            let (pid, rest) = split_word(rest)?;
            let (tid, rest) = split_word(rest)?;
            let (priority, rest) = rest.split_first()?;
            // The tag may begin with spaces, which are not part of it.
            let rest = rest.strip_prefix(b" ")?;
            priority.is_ascii_uppercase().then_some(())?;
            Some((number(pid)?, number(tid)?, *priority, rest))
        };
        let (pid, tid, letter, rest) = columns(rest).or_else(|| columns(split_word(rest)?.1))?;
        let (tag, text) = tag_and_text(rest);
        Some(Self { stamp, pid, tid: Some(tid), priority: priority(letter), tag, text })
    }

    /// `P/tag([user:] pid): text`.
    fn time(stamp: Stamp, rest: &'a [u8]) -> Option<Self> {
        let [letter @ b'A'..=b'Z', b'/', rest @ ..] = rest else { return None };
        let end = memchr::memmem::find(rest, b"): ")
            .or_else(|| rest.strip_suffix(b"):").map(<[u8]>::len))?;
        let (head, text) = rest.split_at_checked(end)?;
        let open = memchr::memrchr(b'(', head)?;
        // The id of the user may stand before it.
        let pid = head.get(open + 1..)?.rsplit(|&byte| byte == b':').next()?;
        let pid = number(pid.trim_ascii())?;
        let tag = head.get(..open)?.trim_ascii_end();
        let text = text.get(3..).unwrap_or_default();
        Some(Self { stamp, pid, tid: None, priority: priority(*letter), tag, text })
    }

    /// `[user:] pid: tid P/tag` in the header, and the text in the lines behind it.
    fn long(stamp: Stamp, header: &'a [u8], text: &'a [u8]) -> Option<Self> {
        let ids = |(pid, rest): (&'a [u8], &'a [u8])| {
            let (tid, rest) = split_word(rest)?;
            Some((number(pid.trim_ascii())?, number(tid)?, rest))
        };
        let (first, behind) = split_once(header, b':')?;
        let (pid, tid, rest) = ids((first, behind)).or_else(|| ids(split_once(behind, b':')?))?;
        let [letter @ b'A'..=b'Z', b'/', tag @ ..] = rest else { return None };
        Some(Self {
            stamp,
            pid,
            tid: Some(tid),
            priority: priority(*letter),
            tag: tag.trim_ascii_end(),
            text: text.trim_ascii_end(),
        })
    }
}

/// The tag, which may contain colons, and the text behind the first colon with a space.
fn tag_and_text(rest: &[u8]) -> (&[u8], &[u8]) {
    if let Some(end) = memchr::memmem::find(rest, b": ") {
        let (tag, text) = rest.split_at(end);
        return (tag.trim_ascii(), text.get(2..).unwrap_or_default());
    }
    match rest.strip_suffix(b":") {
        Some(tag) => (tag.trim_ascii(), b""),
        None => (b"", rest),
    }
}

/// The number of a priority.
fn priority(letter: u8) -> u32 {
    match letter {
        b'V' => 2,
        b'D' => 3,
        b'I' => 4,
        b'W' => 5,
        b'E' => 6,
        b'F' | b'A' => 7,
        b'S' => 8,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time in ms, thread, priority, tag and text.
    fn parts(text: &str) -> (i64, u32, Option<u32>, u32, &str, &str) {
        let message = LogMessage::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text:?}"));
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or("?");
        let LogMessage { stamp, pid, tid, priority, tag, text: body } = message;
        (stamp.ts(None) / 1_000_000, pid, tid, priority, text(tag), text(body))
    }

    #[test]
    fn messages_in_each_format() {
        let jan_2 = 86_400_000;
        for (line, expected) in [
            (
                "01-02 00:00:00.030    20    21 I auditd  : a: b",
                (30, 20, Some(21), 4, "auditd", "a: b"),
            ),
            ("01-02 00:00:00.030 root 20 21 E a:b: c", (30, 20, Some(21), 6, "a:b", "c")),
            ("01-02 00:00:00.030 1000 20 21 W         : c", (30, 20, Some(21), 5, "", "c")),
            ("01-02 00:00:00.030 20 21 D empty:", (30, 20, Some(21), 3, "empty", "")),
            ("01-02 00:00:00.030 20 21 D no tag", (30, 20, Some(21), 3, "", "no tag")),
            ("01-02 00:00:00.030 V/tag (  20): text", (30, 20, None, 2, "tag", "text")),
            ("01-02 00:00:00.030 F/a(b)( 20): (c): d", (30, 20, None, 7, "a(b)", "(c): d")),
            ("01-02 00:00:00.030 I/tag( 1000:   20): text", (30, 20, None, 4, "tag", "text")),
            (
                "[ 01-02 00:00:00.030    20:   21 W/tag ]\nline\nother\n\n",
                (30, 20, Some(21), 5, "tag", "line\nother"),
            ),
            (
                "[ 01-02 00:00:00.030  1000:   20:12345 W/tag:x ]\nline\n",
                (30, 20, Some(12345), 5, "tag:x", "line"),
            ),
        ] {
            let (ms, pid, tid, priority, tag, text) = expected;
            assert_eq!(parts(line), (jan_2 + ms, pid, tid, priority, tag, text), "{line}");
        }
    }

    #[test]
    fn lines_that_are_no_message() {
        for line in [
            "",
            "hello",
            "01-02 00:00:00.030",
            "01-02 00:00:00.030 20 21 i tag: x",
            "01-02 00:00:00.030 20 x I tag: x",
            "01-02 00:00:00.030 20 I",
            "13-02 00:00:00.030 20 21 I tag: x",
            "01-02 00:00:00.030 I/tag: x",
            "01-02 00:00:00.030 I/tag(x): x",
        ] {
            assert_eq!(LogMessage::parse(line.as_bytes()), None, "{line}");
        }
    }
}
