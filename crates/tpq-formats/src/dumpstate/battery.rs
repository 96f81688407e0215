//! The history of the battery, as `dumpsys batterystats -c` writes it.
//!
//! ```text
//! 9,0,i,vers,36,…            version of the format
//! 9,hsp,0,10001,"alarm"      a string: its number, user id and text
//! 9,h,0:RESET:TIME:1656…     the time, ms
//! 9,h,120,+S,Bl=99,Ejb=0     ms since the line before, and what changed
//! ```

use rustc_hash::FxHashMap;
use tpq_decode::RunEvent;
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::Trackers;

use super::history_item::{Item, decode_item};
use super::sections::lines;
use crate::text::{number, split_once, text_of};

const EVENT: &[u8] = b"9,h,";
const STRING: &[u8] = b"9,hsp,";
const VERSION: &[u8] = b"9,0,i,vers,";
const TIME: &[u8] = b":TIME:";

/// What a line of the history does to the time, ms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// It is no line with a time, or one of a start or an end.
    Nothing,
    /// It states the time.
    To(i64),
    /// It has events at a time after that of the line before.
    By(i64),
}

/// Reads the time of a line; `None` if it should have one that cannot be read.
pub(super) fn step(line: &[u8]) -> Option<Step> {
    let Some(rest) = line.strip_prefix(EVENT) else { return Some(Step::Nothing) };
    let time = rest.split(|&byte| byte == b',').next()?;
    if let Some(at) = memchr::memmem::find(time, TIME) {
        return number(time.get(at + TIME.len()..)?).map(Step::To);
    }
    let has = |word: &[u8]| memchr::memmem::find(time, word).is_some();
    if has(b":START") || has(b":SHUTDOWN") {
        return Some(Step::Nothing);
    }
    number(time).map(Step::By)
}

/// The strings that a history refers to, and the version of its format.
#[derive(Debug, Default)]
pub(super) struct History {
    is_read: bool,
    pub(super) version: i64,
    strings: FxHashMap<i64, (i32, String)>,
}

impl History {
    /// Reads the strings of a report.
    fn read(text: &[u8]) -> Self {
        let mut history = Self { is_read: true, ..Self::default() };
        // Most of a report is no history.
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| memchr::memmem::find(rest, b"9,")) {
            let start = at + found;
            let (_, line) = lines(text.get(start..).unwrap_or_default()).next().unwrap_or_default();
            at = start + 2;
            if start == 0 || text.get(start - 1) == Some(&b'\n') {
                history.read_line(line);
                at = start + line.len().max(2);
            }
        }
        history
    }

    fn read_line(&mut self, line: &[u8]) {
        if let Some(version) = line.strip_prefix(VERSION) {
            let version = version.split(|&byte| byte == b',').next().and_then(number);
            self.version = version.unwrap_or(self.version);
        }
        let string = line.strip_prefix(STRING).and_then(|rest| {
            let (index, rest) = split_once(rest, b',')?;
            let (uid, text) = split_once(rest, b',')?;
            let quoted = text.strip_prefix(b"\"").unwrap_or(text);
            let text = quoted.strip_suffix(b"\"").unwrap_or(quoted);
            Some((number(index)?, (number(uid)?, text_of(text).into_owned())))
        });
        // User ids are sometimes removed from a report.
        self.strings.extend(string);
    }

    /// User id and text of a string; -1 and the empty string for one that the report lacks.
    pub(super) fn string(&self, index: i64) -> (i32, &str) {
        self.strings.get(&index).map_or((-1, ""), |(uid, text)| (*uid, text.as_str()))
    }
}

/// Decodes a line of the history.
pub(super) fn decode_line(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let line = event.message().strip_prefix(EVENT).unwrap_or_default();
    let Some((_, items)) = split_once(line, b',') else { return };
    let mut history: History = std::mem::take(trackers.file.states.get());
    if !history.is_read {
        history = History::read(event.bytes.whole(event.run.addr));
    }
    for text in items.split(|&byte| byte == b',').take_while(|item| !item.is_empty()) {
        let item = Item::read(text, event.ts, event.machine);
        decode_item(&item, &history, trackers, tables, stats);
    }
    *trackers.file.states.get() = history;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_lines() {
        assert_eq!(step(b"9,h,0:RESET:TIME:1656"), Some(Step::To(1656)));
        assert_eq!(step(b"9,h,5:START"), Some(Step::Nothing));
        assert_eq!(step(b"9,h,5:SHUTDOWN"), Some(Step::Nothing));
        assert_eq!(step(b"9,h,120,+S,Bl=99"), Some(Step::By(120)));
        assert_eq!(step(b"9,h,120"), Some(Step::By(120)));
        assert_eq!(step(b"9,hsp,0,1,\"a\""), Some(Step::Nothing));
        assert_eq!(step(b"9,h,x,+S"), None);
        assert_eq!(step(b"9,h,0:TIME:x"), None);
    }

    #[test]
    fn strings_of_a_report() {
        let text =
            b"9,0,i,vers,36,1\n9,hsp,0,10001,\"a,\"b\"\"\nx 9,hsp,1,5,\"no\"\n9,hsp,2,?,\"c\"\n";
        let history = History::read(text);
        assert_eq!(history.version, 36);
        assert_eq!(history.string(0), (10_001, "a,\"b\""));
        assert_eq!(history.string(1), (-1, ""));
        assert_eq!(history.string(2), (-1, ""));
    }
}
