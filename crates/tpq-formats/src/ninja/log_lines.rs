//! Lines of a log.

use tpq_ingest::Loss;

use super::JOBS;
use crate::text::{Item, TextEvents, number, split_once, trim_line};

const NS_PER_MS: i64 = 1_000_000;
const HEADER: &[u8] = b"# ninja log v";
/// Versions with the same layout of lines.
const VERSIONS: std::ops::RangeInclusive<u32> = 5..=7;

/// A line of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LogLine<'a> {
    /// Start of the command, ms since the start of the build.
    pub(super) start: i64,
    /// End of the command, ms since the start of the build.
    pub(super) end: i64,
    /// Path of the output.
    pub(super) output: &'a [u8],
    /// Hash of the command.
    command: u64,
}

impl<'a> LogLine<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        let mut cells = trim_line(line).split(|&byte| byte == b'\t');
        let (start, end) = (number(cells.next()?)?, number(cells.next()?)?);
        let _modified = cells.next()?;
        let output = cells.next()?;
        let command = std::str::from_utf8(cells.next()?).ok()?;
        let command = u64::from_str_radix(command, 16).ok()?;
        Some(Self { start, end, output, command })
    }

    /// Whether both are outputs of one command.
    fn is_same_job(&self, other: &LogLine<'_>) -> bool {
        (self.start, self.end, self.command) == (other.start, other.end, other.command)
    }
}

/// Divides a log into commands: the outputs of one command are on consecutive lines.
#[derive(Default)]
pub(super) struct LogLines {
    /// Whether the header was read, and names a version with known lines.
    is_supported: Option<bool>,
}

impl LogLines {
    fn header(&mut self, line: &[u8]) -> Item {
        let version = trim_line(line).strip_prefix(HEADER).and_then(number::<u32>);
        let is_supported = version.is_some_and(|version| VERSIONS.contains(&version));
        self.is_supported = Some(is_supported);
        match is_supported {
            true => Item::Nothing,
            false => Item::Malformed(
                Loss::MalformedNinjaLine,
                "the version of this log is not 5, 6 or 7, so its lines are not read",
            ),
        }
    }
}

impl TextEvents for LogLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, mut rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len_before = |rest: &[u8]| text.len() - rest.len();
        match self.is_supported {
            None => return (len_before(rest), self.header(line)),
            Some(false) => return (text.len(), Item::Nothing),
            Some(true) if trim_line(line).is_empty() => return (len_before(rest), Item::Nothing),
            Some(true) => {}
        }
        let malformed = |what| Item::Malformed(Loss::MalformedNinjaLine, what);
        let Some(first) = LogLine::parse(line) else {
            let what = "this is not a line of start, end, time, output and hash";
            return (len_before(rest), malformed(what));
        };
        let Some(ts) = first.start.checked_mul(NS_PER_MS) else {
            return (len_before(rest), malformed("the time of a command is out of range"));
        };
        while let Some((line, after)) = split_once(rest, b'\n') {
            if !LogLine::parse(line).is_some_and(|line| line.is_same_job(&first)) {
                break;
            }
            rest = after;
        }
        (len_before(rest), Item::Event { kind: JOBS, ts })
    }
}
