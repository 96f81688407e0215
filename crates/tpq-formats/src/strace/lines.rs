//! Divides the text into lines.

use tpq_ingest::Loss;

use super::LINES;
use super::call_line::{CallLine, LineError};
use crate::text::{Item, TextEvents, split_once, trim_line};

/// What strace says about itself.
const DIAGNOSTIC: &[u8] = b"strace: ";
/// A function of a call stack, which `-k` adds.
const STACK: &[u8] = b" > ";
const NS_PER_DAY: i64 = 86_400_000_000_000;

/// Divides the text into lines. Times of the day begin anew at midnight.
#[derive(Default)]
pub(super) struct CallLines {
    last_of_day: i64,
    days: i64,
}

impl CallLines {
    /// The time of a line. A time of the day that is far before the last one is of the next day.
    fn time(&mut self, line: &CallLine<'_>) -> i64 {
        if !line.is_of_day {
            return line.ts;
        }
        if line.ts < self.last_of_day - NS_PER_DAY / 2 {
            self.days += 1;
        }
        self.last_of_day = line.ts;
        line.ts.saturating_add(self.days.saturating_mul(NS_PER_DAY))
    }
}

impl TextEvents for CallLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len = text.len() - rest.len();
        let trimmed = trim_line(line).trim_ascii_start();
        if trimmed.is_empty() || trimmed.starts_with(DIAGNOSTIC) || line.starts_with(STACK) {
            return (len, Item::Nothing);
        }
        let item = match CallLine::parse(line) {
            Ok(Some(line)) if line.tid.is_none() => {
                let what = "this line names no thread; record with `-f`";
                Item::Malformed(Loss::StraceWithoutThread, what)
            }
            Ok(Some(line)) => Item::Event { kind: LINES, ts: self.time(&line) },
            Ok(None) | Err(LineError::Shape) => {
                let what = "this is no system call, signal or exit";
                Item::Malformed(Loss::MalformedStraceLine, what)
            }
            Err(LineError::Time) => {
                let what = "this line has no time that can be read; record with `-ttt`";
                Item::Malformed(Loss::StraceWithoutTime, what)
            }
        };
        (len, item)
    }
}
